import { type Client, connect } from '@roomwire/sdk';
import { messagePackFields } from '@roomwire/shared/wire/protocol/frameFields';
import type { MessageStore } from '@roomwire/shared/ports/messageStore';

/** Why the service closed a client's connection. */
export const reasonOfClose = (client: Client): Promise<unknown> =>
  new Promise((resolve) =>
    client.on('state', (state) => void (state.name === 'closed' && resolve(state.reason))),
  );

/** The code with which something was refused, or `none`. */
export const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: { error: string }) => error.error,
  );

/** What was answered `published`, by text. */
export type PublishedLedger = Set<string>;

/** Publishes one after the other until the gateway ends, and records what was answered. */
export const publishUntilEnded = async (
  client: Client,
  topic: string,
  name: string,
  ledger: PublishedLedger,
): Promise<void> => {
  for (let n = 0; ; n += 1) {
    const text = `${name}-${n}`;
    try {
      await client.publish(topic, text, { qos: n % 2 === 0 ? 1 : 2 });
    } catch {
      // The outcome of this one is not known.
      return;
    }
    ledger.add(text);
  }
};

export const openClient = async (url: string, token: string): Promise<Client> => {
  const client = connect({ url, token, reconnect: false });
  await client.ready();
  return client;
};

/** The texts of a topic's messages on record, in order. */
export const recordedTexts = async (record: MessageStore, internalTopic: string): Promise<string[]> => {
  const { count, pages } = await record.replay(internalTopic, { sinceMs: 0, limit: 1_000_000 });
  const texts: string[] = [];
  for await (const page of pages)
    for (const { message } of page)
      texts.push(messagePackFields(Buffer.from(message.body)).read('data') as string);
  if (texts.length !== count) throw new Error(`${count} were announced, and ${texts.length} came`);
  return texts;
};
