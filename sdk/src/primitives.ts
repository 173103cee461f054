/** Runs `action` once after `delayMs` milliseconds; the function that it returns cancels that. */
export type Schedule = (action: () => void, delayMs: number) => () => void;

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

export const systemSchedule: Schedule = (action, delayMs) => {
  const timer = setTimeout(action, delayMs);
  return () => clearTimeout(timer);
};

export const systemRandom: Random = () => Math.random();

/** 96 bits of chance, as hexadecimal digits: nobody else has it, or can guess it. */
export const systemId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The cancel function while nothing is scheduled. */
export const nothing = (): void => undefined;

/** A promise together with the two functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export const deferred = <T>(): Deferred<T> => {
  let resolve!: Deferred<T>['resolve'];
  let reject!: Deferred<T>['reject'];
  const promise = new Promise<T>((...settle) => ([resolve, reject] = settle));
  return { promise, resolve, reject };
};

/** Listeners by event name. A listener that throws is the caller's fault and must not stop the client. */
export class Emitter<Events extends object> {
  private readonly listeners = new Map<keyof Events, Set<(value: never) => void>>();

  /** The function that it returns removes the listener again. */
  on<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): () => void {
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners);
    // A wrapper of its own for each call, so that one function may listen twice and be removed once.
    const own = (value: Events[Name]): void => listener(value);
    listeners.add(own);
    return () => void listeners.delete(own);
  }

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const listener of [...(this.listeners.get(name) ?? [])]) {
      try {
        (listener as (value: Events[Name]) => void)(value);
      } catch (error) {
        // Thrown again where it reaches the process's (or the window's) own handler and not our socket.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
