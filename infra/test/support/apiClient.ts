import { conformanceOf, type Answer } from './conformance.js';

export interface ApiClient {
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  patch(path: string, body?: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Any request, with nothing added to it but the credential. */
  send(path: string, init?: RequestInit): Promise<Answer>;
}

/**
 * A REST client with one credential; `undefined` sends none. Paths are relative to `/v1`.
 * Rejects where an answer is not as the API's description says, so that every test is one of that as well.
 */
export const apiClient = (baseUrl: string, credential: string | undefined): ApiClient => {
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    if (credential !== undefined && !headers.has('authorization'))
      headers.set('authorization', `Bearer ${credential}`);
    const response = await fetch(`${baseUrl}/v1${path}`, { ...init, headers });
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const answer = { status: response.status, body, headers: response.headers };
    const check = await conformanceOf(baseUrl);
    check({ method: init.method ?? 'GET', path, answer });
    return answer;
  };
  const withJson = (method: string) => (path: string, body?: unknown) =>
    send(path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  return {
    get: (path) => send(path),
    post: withJson('POST'),
    patch: withJson('PATCH'),
    delete: (path) => send(path, { method: 'DELETE' }),
    send,
  };
};
