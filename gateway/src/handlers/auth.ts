import type { Handler } from './handler.js';

/** [WS-AUTH-6] A connection is one actor's for as long as it lives. */
export const auth: Handler<'auth'> = () => 'alreadyAuthenticated';
