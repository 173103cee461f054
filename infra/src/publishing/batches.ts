import { setImmediate as nextTurn } from 'node:timers/promises';

/** Most that the API takes at once. */
export const mostMessages = 100;
const mostBodyBytes = 1_048_576;
/** For what stands around the messages. */
const bodyFrameBytes = 64;

export interface Weighed {
  /** As JSON. */
  readonly json: string;
}

/**
 * A batch is what has come until the one before it was taken, at most as much as a request to the API may have. A larger
 * message is a batch of its own.
 */
export async function* batchesOf<T extends Weighed>(items: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  const iterator = items[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const result = iterator.next();
    // It is awaited when the batch before it was taken, and must not count as unhandled until then.
    result.catch(() => undefined);
    return result;
  };
  let coming = ask();
  for (let first = await coming; !first.done; first = await coming) {
    const batch = [first.value];
    let bytes = bodyFrameBytes + weightOf(first.value);
    coming = ask();
    while (batch.length < mostMessages) {
      const next = await Promise.race([coming, nextTurn(undefined)]).catch(() => undefined);
      if (next === undefined || next.done) break;
      bytes += weightOf(next.value);
      if (bytes > mostBodyBytes) break;
      batch.push(next.value);
      coming = ask();
    }
    yield batch;
  }
}

const weightOf = ({ json }: Weighed): number => Buffer.byteLength(json) + 1;
