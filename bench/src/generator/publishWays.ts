import type { Buffer } from 'node:buffer';
import { encode } from '@msgpack/msgpack';
import { acknowledgedFrame, clientFrame, dataBytes } from './frames.js';
import { type HttpAnswer, httpRequest, openHttpConnection } from './httpConnection.js';
import type { PublishingJob, PublishWay } from './jobs.js';
import { admittedToTalk } from './wires/roomwireWire.js';

/** A connection that publishes, one request at a time. */
export interface AnsweredPublisher {
  /** Resolves when all messages of a request have been accepted; rejects where one is refused. */
  publish(): Promise<void>;
  end(): void;
}

export const openPublisher = (job: PublishingJob): Promise<AnsweredPublisher> =>
  job.way.kind === 'http' ? overHttp(job, job.way) : overSocket(job, job.way);

const data = '.'.repeat(dataBytes);
const idLength = 12;
let lastNumber = 0;

/** Unlike any other of this process. All are equally long, so that deliveries are. */
const nextId = (): string => `reading-${String((lastNumber += 1)).padStart(idLength, '0')}`;

const overHttp = async (
  { port, topic, withIds }: PublishingJob,
  { dialect, path, apiKey, messages }: PublishWay & { kind: 'http' },
): Promise<AnsweredPublisher> => {
  const connection = await openHttpConnection(port);
  const { makeBody, scheme } = dialects[dialect];
  const body = makeBody(topic, withIds, messages);
  const request = (): string => httpRequest('POST', path, apiKey, body(), scheme);
  return {
    publish: async () => requireAccepted(await connection.request(request())),
    end: () => connection.end(),
  };
};

/** One message is sent as it is, several as a batch. */
export const bodyMaker = (topic: string, withIds: boolean, messages: number): (() => string) => {
  const fields = JSON.stringify({ topic, data }).slice(0, -1);
  const message = (): string => (withIds ? `${fields},"id":"${nextId()}"}` : `${fields}}`);
  if (messages === 1) return message;
  return () => `{"messages":[${Array.from({ length: messages }, message).join(',')}]}`;
};

/** The same for Centrifugo, which takes several as a list of commands. */
export const centrifugoBodyMaker = (topic: string, withIds: boolean, messages: number): (() => string) => {
  const fields = JSON.stringify({ channel: topic, data }).slice(0, -1);
  const message = (): string => (withIds ? `${fields},"idempotency_key":"${nextId()}"}` : `${fields}}`);
  if (messages === 1) return message;
  const command = (): string => `{"publish":${message()}}`;
  return () => `{"commands":[${Array.from({ length: messages }, command).join(',')}]}`;
};

const dialects = {
  roomwire: { makeBody: bodyMaker, scheme: 'Bearer' },
  centrifugo: { makeBody: centrifugoBodyMaker, scheme: 'apikey' },
} as const;

/** A batch is answered 200 whatever becomes of its messages. */
const requireAccepted = ({ status, body }: HttpAnswer): void => {
  if (status !== 200 || body.includes('"error"'))
    throw new Error(`A publish was answered ${status}: ${body.slice(0, 200)}`);
};

const overSocket = async (
  { port, topic, withIds }: PublishingJob,
  { token }: PublishWay & { kind: 'socket' },
): Promise<AnsweredPublisher> => {
  const conversation = await admittedToTalk(port, token);
  const plain = acknowledgedFrame(topic);
  const frame = (): Buffer =>
    withIds ? clientFrame(encode({ type: 'publish', topic, msgRef: '1', id: nextId(), data })) : plain;
  return {
    publish: () => conversation.ask(frame(), isPublished),
    end: () => conversation.connection.end(),
  };
};

const isPublished = (frame: unknown): boolean => (frame as { readonly type?: unknown }).type === 'published';
