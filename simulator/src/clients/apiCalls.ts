import type { Place } from '../cluster/cluster.js';
import { requestInMemory, type HttpAnswer } from '../cluster/memoryHttp.js';
import type { World } from './world.js';

/** A request that has not been answered by then is taken for lost: its outcome is unknown. */
const patienceMs = 12_000;

export interface ApiCall {
  readonly method: string;
  /** Behind the version. */
  readonly path: string;
  readonly token: string;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

/** Undefined where no answer came. */
export const callApi = (
  { time, cluster: { network }, history }: World,
  { process, service, machine }: Place,
  { method, path, token, body }: ApiCall,
): Promise<HttpAnswer | undefined> => {
  history.happened(`${machine.name} > ${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`);
  return new Promise((resolve) => {
    const answered = (answer: HttpAnswer | undefined): void => {
      history.happened(`${machine.name} < ${method} ${path} ${answer?.status ?? 'nothing'}`);
      resolve(answer);
    };
    const late = time.after(undefined, patienceMs, () => answered(undefined));
    const { api } = service ?? {};
    if (api === undefined) return;
    time.after(process, network.delay(), () =>
      requestInMemory(api, { method, path: `/v1${path}`, token, ...(body && { body }) }, (answer) =>
        time.after(undefined, network.delay(), () => {
          if (!process.isAlive || late.run === undefined) return;
          late.run = undefined;
          answered(answer);
        }),
      ),
    );
  });
};
