import { createStore } from '../app/store.js';

/** Kept in memory alone: a reload signs out, and nothing is left on the machine. */
export type SessionState =
  | { readonly kind: 'signedOut'; readonly reason?: 'expired' | 'ended' }
  | { readonly kind: 'signedIn'; readonly token: string };

export const session = createStore<SessionState>({ kind: 'signedOut' });

export const signIn = (token: string): void => session.set({ kind: 'signedIn', token });

export const signOut = (): void => session.set({ kind: 'signedOut', reason: 'ended' });

/** The service takes the token no more. A later one is not ended by an answer to an earlier one. */
export const expire = (token: string): void => {
  const now = session.get();
  if (now.kind === 'signedIn' && now.token === token) session.set({ kind: 'signedOut', reason: 'expired' });
};
