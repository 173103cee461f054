import type { Buffer } from 'node:buffer';
import { invalid, type ClientField } from './clientFields.js';
import { clientFrames, type AuthFrame, type ClientFrame, type ClientFrameSpec } from './clientFrames.js';
import { jsonFields, messagePackFields, type FrameFields } from './frameFields.js';

/** A frame that cannot be handled, and as much of it as the error about it names. */
export interface MalformedFrame {
  readonly type: 'malformed';
  readonly error: 'invalidFrame' | 'unknownType';
  readonly topic?: string;
  readonly msgRef?: string;
  readonly lobbyId?: string;
  readonly ref?: string;
}

type ParseFields = (fields: FrameFields) => ClientFrame | undefined;

/** Reads the fields of one frame type; undefined when one of them is missing or of the wrong type. */
const parserOf = (
  type: string,
  {
    fields: table,
    excluding = [],
    requiring = [],
  }: Pick<ClientFrameSpec, 'fields' | 'excluding' | 'requiring'>,
): ParseFields => {
  const names = Object.keys(table);
  const readers = Object.values(table).map(({ read }) => read);
  return (fields) => {
    const frame: Record<string, unknown> = { type };
    for (let at = 0; at < names.length; at++) {
      const name = names[at] as string;
      const value = (readers[at] as ClientField<unknown>['read'])(fields, name);
      if (value === invalid) return undefined;
      frame[name] = value;
    }
    if (excluding.some(([one, other]) => isGiven(frame[one]) && isGiven(frame[other]))) return undefined;
    if (requiring.some(([one, other]) => isGiven(frame[one]) && !isGiven(frame[other]))) return undefined;
    return frame as unknown as ClientFrame;
  };
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== false;

const parsers: ReadonlyMap<string, ParseFields> = new Map(
  Object.entries<ClientFrameSpec>(clientFrames).map(([type, spec]) => [type, parserOf(type, spec)]),
);

const fieldsOf = (bytes: Buffer, isText: boolean): FrameFields | undefined =>
  isText ? jsonFields(bytes) : messagePackFields(bytes);

/** An `auth`, of which alone anything is decoded; undefined for all other frames. Never throws, for any bytes. */
export const parseAuth = (bytes: Buffer, isText: boolean): AuthFrame | 'invalid' | undefined => {
  const fields = fieldsOf(bytes, isText);
  if (fields === undefined || !fields.isSound || !fields.isText('type', 'auth')) return undefined;
  return (parsers.get('auth')?.(fields) as AuthFrame | undefined) ?? 'invalid';
};

/** Never throws, for any bytes. An empty frame is a heartbeat or malformed. */
export const parseFrame = (bytes: Buffer, isText: boolean): ClientFrame | MalformedFrame => {
  const fields = fieldsOf(bytes, isText);
  if (fields === undefined) return { type: 'malformed', error: 'invalidFrame' };
  if (!fields.isSound) return malformed('invalidFrame', fields);
  const type = fields.read('type');
  if (typeof type !== 'string') return malformed('invalidFrame', fields);
  const parse = parsers.get(type);
  if (parse === undefined) return malformed('unknownType', fields);
  return parse(fields) ?? malformed('invalidFrame', fields);
};

/** Keeps the `msgRef` or the `ref` of an invalid frame, because the client waits for the answer to it. */
const malformed = (error: MalformedFrame['error'], fields: FrameFields): MalformedFrame => {
  const topic = fields.read('topic');
  const msgRef = fields.read('msgRef');
  const lobbyId = fields.read('lobbyId');
  const ref = fields.isText('type', 'history') ? fields.read('ref') : undefined;
  return {
    type: 'malformed',
    error,
    ...(typeof topic === 'string' && { topic }),
    ...(typeof msgRef === 'string' && { msgRef }),
    ...(typeof lobbyId === 'string' && { lobbyId }),
    ...(typeof ref === 'string' && { ref }),
  };
};
