import type { Buffer } from 'node:buffer';
import { openConnection, type Connection } from './connection.js';
import { FrameReader } from './frameReader.js';

type Accepts = (frame: unknown) => boolean;

/** Questions and answers before the load. */
export interface Conversation {
  readonly connection: Connection;
  /** Rejects when the next frame is another, or the connection ends. */
  answer(accepts: Accepts): Promise<void>;
  ask(bytes: Buffer, accepts: Accepts): Promise<void>;
}

export const openConversation = async (
  port: number,
  path: string,
  decodeBinary?: (payload: Uint8Array) => unknown,
): Promise<Conversation> => {
  const early: unknown[] = [];
  let answered: ((frame: unknown) => void) | undefined;
  const take = (frame: unknown): void => {
    if (answered === undefined) early.push(frame);
    else answered(frame);
    answered = undefined;
  };
  const next = (): Promise<unknown> =>
    new Promise((resolve) => {
      if (early.length > 0) resolve(early.shift());
      else answered = resolve;
    });
  const connection = await openConnection(port, path, new FrameReader(take, decodeBinary));
  const answer = async (accepts: Accepts): Promise<void> => {
    const given = await Promise.race([next(), connection.closed]);
    if (!accepts(given)) throw new Error(`A server refused a client: ${describe(given)}`);
  };
  return {
    connection,
    answer,
    ask(bytes, accepts) {
      connection.write(bytes);
      return answer(accepts);
    },
  };
};

const describe = (given: unknown): string => (given instanceof Error ? given.message : JSON.stringify(given));
