import type { Scope } from '../../common/caller.ts';

/** A session as its own page is told of it. */
export interface SessionView {
  id: string;
  workspace: { name: string };
  /** What signed in, or stands for who did. */
  api_token: { id: number; name: string };
  /** Who signed in at an identity provider, by issuer and subject; null with an API token. */
  subject: string | null;
  scopes: Scope[];
  created_at: string;
  /** However much it is used. */
  expires_at: string;
  /** Unless it is used. */
  idle_expires_at: string;
}

/** A session as it is listed. */
export interface SessionItem extends Omit<SessionView, 'scopes'> {
  last_used_at: string;
  /** Of the client that signed in. */
  address: string | null;
  user_agent: string | null;
  /** Whether it is the one that asks. */
  current: boolean;
}

export interface SessionAnswer {
  success: 1;
  session: SessionView;
}

export interface SessionsAnswer {
  success: 1;
  sessions: SessionItem[];
}
