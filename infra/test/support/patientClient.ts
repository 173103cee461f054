import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from './apiClient.js';
import type { Answer } from './conformance.js';

const patienceMs = 30_000;

/**
 * Asks again while the answer is 503, as clients are told to. For tests that need the API and do not test it: engines on a busy
 * machine hesitate.
 */
export const patient = (client: ApiClient): ApiClient => {
  const ask = async (request: () => Promise<Answer>): Promise<Answer> => {
    const until = performance.now() + patienceMs;
    for (;;) {
      const answer = await request();
      if (answer.status !== 503 || performance.now() > until) return answer;
      await pause(250);
    }
  };
  return {
    get: (path) => ask(() => client.get(path)),
    post: (path, body) => ask(() => client.post(path, body)),
    patch: (path, body) => ask(() => client.patch(path, body)),
    delete: (path) => ask(() => client.delete(path)),
    send: (path, init) => ask(() => client.send(path, init)),
  };
};
