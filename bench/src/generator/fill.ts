import { httpRequest, openHttpConnection, type HttpConnection } from './httpConnection.js';
import type { FillJob } from './jobs.js';

/** POSTs the body, with `#` for its number, so many times; one request at a time on each connection. */
export const fillThroughApi = async (job: FillJob): Promise<void> => {
  const connections = await Promise.all(
    Array.from({ length: job.connections }, () => openHttpConnection(job.port)),
  );
  let begun = 0;
  const keepCreating = async (connection: HttpConnection): Promise<void> => {
    while (begun < job.count) {
      begun += 1;
      const text = job.body.replace('#', String(begun));
      const { status, body } = await connection.request(httpRequest('POST', job.path, job.apiKey, text));
      if (status !== 201) throw new Error(`A create was answered ${status}: ${body}`);
    }
  };
  try {
    await Promise.all(connections.map(keepCreating));
  } finally {
    for (const connection of connections) connection.end();
  }
};
