import { exchangeCode, type SignInWays } from './consoleRoutes.js';
import { finishReturn, returned } from './pkce.js';

/** A session that the address brings. */
export interface Arrived {
  readonly token: string;
  /** Where to go; undefined to stay. */
  readonly place?: string;
}

/** Takes the code of the printed link, or what an issuer has sent, out of the address, so that neither history nor a copy has it. */
const takeFromAddress = (): ((ways: SignInWays) => Promise<Arrived | undefined>) => {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    return () => exchangeCode(code);
  }
  const query = returned(location);
  if (query === undefined) return async () => undefined;
  history.replaceState(null, '', location.pathname);
  return async ({ oidc }) => (oidc === null ? undefined : finishReturn(oidc, query));
};

const take = takeFromAddress();
let arrived: Promise<Arrived | undefined> | undefined;

/** A code is good once only, so that it is exchanged once, however often this is asked. */
export const arrival = (ways: SignInWays): Promise<Arrived | undefined> => (arrived ??= take(ways));
