import type { Scope } from '../../../../platform/common/access/caller.ts';

/** A session as its own page sees it. */
export interface SessionView {
  id: string;
  workspace: { name: string };
  /** The API token used, or the one that stands for the person. */
  api_token: { id: number; name: string };
  /** Issuer and subject of the person at an identity provider; null with an API token. */
  subject: string | null;
  /** Without those that only features ask for that are left out. */
  scopes: Scope[];
  /** The features that are served. */
  features: string[];
  created_at: string;
  /** The end regardless of use. */
  expires_at: string;
  /** The end without further use. */
  idle_expires_at: string;
}

export interface SessionItem extends Omit<SessionView, 'scopes' | 'features'> {
  last_used_at: string;
  /** The address of the client that signed in. */
  address: string | null;
  user_agent: string | null;
  /** Whether it is the session of this call. */
  current: boolean;
}

export interface SessionResponse {
  success: 1;
  session: SessionView;
}

export interface SessionsResponse {
  success: 1;
  sessions: SessionItem[];
}
