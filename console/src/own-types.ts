import type { components } from '../../clients/typescript/schema.js';

export type Schemas = components['schemas'];
export type Scope = Schemas['CreateApiTokenRequest']['scopes'][number];

// The console uses these in addition to the OpenAPI document.

/** The page's first request. */
export interface SignInState {
  signed_in: boolean;
  /** Null as well where the API token may not be used from. */
  session: Session | null;
  ways: ('api_token' | 'openid')[];
}

export interface Session {
  id: string;
  workspace: { name: string };
  api_token: { id: number; name: string };
  /** The person who signed in at an identity provider; null with an API token. */
  subject: string | null;
  scopes: Scope[];
  /** The features that the service has. */
  features: string[];
  created_at: string;
  expires_at: string;
  idle_expires_at: string;
}

export interface SessionItem extends Omit<Session, 'scopes' | 'features'> {
  last_used_at: string;
  address: string | null;
  user_agent: string | null;
  current: boolean;
}
