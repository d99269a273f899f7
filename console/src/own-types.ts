import type { components } from '../../clients/typescript/schema.js';

// What the console asks of the service beyond the OpenAPI document.

export type Schemas = components['schemas'];
export type Scope = Schemas['ApiTokenView']['scopes'][number];

/** What the page asks before it shows anything. */
export interface SignInState {
  signed_in: boolean;
  ways: ('api_token' | 'openid')[];
}

export interface Session {
  id: string;
  workspace: { name: string };
  api_token: { id: number; name: string };
  /** Who signed in at an identity provider; null with an API token. */
  subject: string | null;
  scopes: Scope[];
  created_at: string;
  expires_at: string;
  idle_expires_at: string;
}

export interface SessionItem extends Omit<Session, 'scopes'> {
  last_used_at: string;
  address: string | null;
  user_agent: string | null;
  current: boolean;
}

export interface Overview {
  user_groups: {
    total: number;
    suspended: number;
    unresolvable: number | null;
    incomplete: number | null;
  };
  user_group_tokens: { in_overlap: number; in_overlap_used_last_hour: number };
  api_tokens: { active: number; expiring_within_30_days: number } | null;
  as_of: string;
}

export interface ActivityPoint {
  at: string;
  rotations: number;
  introspections: number;
  creations: number;
}
