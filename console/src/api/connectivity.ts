import { createStore } from '../app/store.js';
import { NoAnswer } from './failure.js';

/** Whether the service answers, as far as the requests of the page have shown. */
export const connectivity = createStore<'connected' | 'lost'>('connected');

/** Sends a request and notes whether there was an answer. */
export const send = async (request: Request): Promise<Response> => {
  try {
    const response = await fetch(request);
    connectivity.set('connected');
    return response;
  } catch (error) {
    if (request.signal.aborted) throw error;
    connectivity.set('lost');
    throw new NoAnswer({ cause: error });
  }
};

const retryMs = 2_000;

/** While there is no answer, asks again and again, and calls back once there is one. Returns what ends that. */
export const awaitAnswer = (onAnswer: () => void): (() => void) => {
  const timer = setInterval(() => {
    void send(new Request('/healthz')).then(onAnswer, () => undefined);
  }, retryMs);
  return () => clearInterval(timer);
};

/** Loads something again once the service answers, where it fails because it does not. */
export const onceAnswered = async <T>(load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    const answers = await send(new Request('/healthz')).then(
      () => true,
      () => false,
    );
    if (answers) throw error;
    await new Promise<void>((resolve) => {
      const stop = awaitAnswer(() => {
        stop();
        resolve();
      });
    });
    return load();
  }
};
