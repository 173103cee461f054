import { createConnection } from './connection.js';
import { answerWithin } from './failures.js';

/** What 6.2.1 of the client knows of the server and does not declare for its users. */
interface Internals {
  readonly capabilities: Promise<{ readonly serverVersion: string }>;
}

/** The version of the server, as it names it. Rejects where it does not answer within the time. */
export const eventStoreDbVersion = async (url: string, withinMs: number): Promise<string> => {
  const connection = createConnection(url);
  try {
    const { capabilities } = connection.client as unknown as Internals;
    return (await answerWithin(withinMs, capabilities)).serverVersion;
  } finally {
    await connection.close();
  }
};
