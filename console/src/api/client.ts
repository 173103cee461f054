import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '@roomwire/server';
import { send } from './connectivity.js';

/** The REST API with its types, with one credential: `api.GET('/apps/{appId}', { params: { path: { appId } } })`. */
export type Api = Client<paths>;

export interface Credential {
  /** What to send now. */
  current(): string | Promise<string>;
  /** The service has refused that one. Resolves with another to try, or undefined if there is none. */
  refused(token: string): Promise<string | undefined>;
}

const baseUrl = '/v1';

export const createApi = (credential: Credential): Api =>
  createClient<paths>({
    baseUrl,
    fetch: async (request) => {
      const token = await credential.current();
      // A body can be sent once only.
      const again = request.clone();
      const response = await send(withToken(request, token));
      if (response.status !== 401) return response;
      const other = await credential.refused(token);
      return other === undefined ? response : send(withToken(again, other));
    },
  });

/** For what needs no credential: the ways to sign in. */
export const openApi: Api = createClient<paths>({ baseUrl, fetch: send });

const withToken = (request: Request, token: string): Request => {
  request.headers.set('authorization', `Bearer ${token}`);
  return request;
};
