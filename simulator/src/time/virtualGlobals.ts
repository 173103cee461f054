import { Buffer } from 'node:buffer';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import type { SeededChance } from '@roomwire/testing/run/seededChance';
import type { TimedEvent } from './eventQueue.js';
import type { VirtualTime } from './virtualTime.js';

type Callback = (...args: unknown[]) => void;

/** What `setTimeout` and its like return. */
class VirtualTimer {
  event: TimedEvent | undefined;

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  cancel(): void {
    if (this.event) this.event.run = undefined;
    this.event = undefined;
  }
}

const cancel = (timer: unknown): void => {
  if (timer instanceof VirtualTimer) timer.cancel();
};

const aborted = (signal: AbortSignal): Error =>
  Object.assign(new Error('The operation was aborted', { cause: signal.reason }), {
    name: 'AbortError',
    code: 'ABORT_ERR',
  });

const functionsOf = (time: VirtualTime) => {
  const setTimeout = (callback: Callback, ms = 1, ...args: unknown[]): VirtualTimer => {
    const timer = new VirtualTimer();
    timer.event = time.timer(time.current, ms, () => callback(...args));
    return timer;
  };
  const setInterval = (callback: Callback, ms = 1, ...args: unknown[]): VirtualTimer => {
    const timer = new VirtualTimer();
    const { current } = time;
    const tick = (): void => {
      timer.event = time.timer(current, ms, tick);
      callback(...args);
    };
    timer.event = time.timer(current, ms, tick);
    return timer;
  };
  // Module state that all processes share may wait for it: it happens whatever becomes of the process.
  const setImmediate = (callback: Callback, ...args: unknown[]): VirtualTimer => {
    const timer = new VirtualTimer();
    const { current } = time;
    timer.event = time.after(undefined, 0, () => {
      time.current = current;
      callback(...args);
    });
    return timer;
  };
  const pause = <T>(ms = 1, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted(signal));
      const abort = (): void => {
        timer.cancel();
        if (signal) reject(aborted(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve(value);
      }, ms);
      signal?.addEventListener('abort', abort, { once: true });
    });
  const turn = <T>(value?: T): Promise<T | undefined> =>
    new Promise((resolve) => setImmediate(() => resolve(value)));
  return { setTimeout, setInterval, setImmediate, pause, turn };
};

/** Replaces a property and returns how it is put back. */
const replaced = (target: object, name: string, value: unknown): (() => void) => {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    if (before) Object.defineProperty(target, name, before);
    else Reflect.deleteProperty(target, name);
  };
};

/**
 * Puts every clock, timer and random byte of this process under the virtual time and the seed, also for modules that have
 * imported them already. Returns how the real ones come back.
 */
export const installVirtualGlobals = (time: VirtualTime, chance: SeededChance): (() => void) => {
  const { setTimeout, setInterval, setImmediate, pause, turn } = functionsOf(time);
  const named = {
    ...{ setTimeout, setInterval, setImmediate },
    ...{ clearTimeout: cancel, clearInterval: cancel, clearImmediate: cancel },
  };
  const monotonic = (): number => time.current?.monotonicAt(time.now) ?? time.now;
  const wall = (): number => time.current?.wallAt(time.now) ?? time.now;
  const randomBytes = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, () => chance.below(256)));
  const restores = [
    ...Object.entries(named).flatMap(([name, value]) => [
      replaced(globalThis, name, value),
      replaced(timers, name, value),
    ]),
    replaced(timersPromises, 'setTimeout', pause),
    replaced(timersPromises, 'setImmediate', turn),
    replaced(performance, 'now', monotonic),
    replaced(Date, 'now', wall),
    replaced(crypto, 'randomBytes', randomBytes),
    replaced(crypto, 'randomUUID', () => chance.uuid()),
  ];
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.reverse()) restore();
    syncBuiltinESMExports();
  };
};
