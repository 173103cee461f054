import { setTimeout as pause } from 'node:timers/promises';
import { HostileSocket } from '../hostileSocket.js';
import type { CountOutcome } from '../outcomes.js';
import type { HostileTenant } from '../tenant.js';

export interface AttackContext {
  readonly tenant: HostileTenant;
  readonly count: CountOutcome;
  /** Aborted when the attack is to end. */
  readonly signal: AbortSignal;
}

/** One way to harm others. */
export interface Attack {
  readonly name: string;
  /** An outcome without which the attack has not met the bound that it is aimed at; none where it is only to be borne. */
  readonly met?: string;
  run(context: AttackContext): Promise<void>;
}

/** Acts so often a second until the end. An action that takes longer delays the next one. */
export const repeatedly = async (
  perSecond: number,
  signal: AbortSignal,
  act: (time: number) => void | Promise<void>,
): Promise<void> => {
  for (let time = 0; !signal.aborted; time += 1) {
    const begin = performance.now();
    await act(time);
    await sleep(Math.max(0, 1_000 / perSecond - (performance.now() - begin)), signal);
  }
};

/** Nearly all attacks act once or a few times a second: those that have nothing to do with each other do not act at the same moment. */
export const outOfStepMs = (index: number, count: number): number => (1_000 * index) / count;

/** Ends early, without an error, at the end of the attack. */
export const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => undefined);

/** A number of authenticated sockets that come back when they are closed, and are gone at the end. */
export const keepSockets = async (
  { tenant, count, signal }: AttackContext,
  from: string,
  tokens: readonly string[],
  use: (socket: HostileSocket, index: number) => Promise<void>,
): Promise<void> => {
  const { port } = tenant;
  await Promise.all(
    tokens.map(async (token, index) => {
      await sleep(outOfStepMs(index, tokens.length), signal);
      while (!signal.aborted) {
        const socket = await HostileSocket.enter({ port, from, count }, token);
        if (socket !== undefined) await use(socket, index);
        socket?.end();
        await sleep(500, signal);
      }
    }),
  );
};
