import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@roomwire/testing/run/eventually';
import { longestTurn } from '@roomwire/testing/run/longestTurn';
import { sendAnswer } from '../../src/http/sendJson.js';

const text = 'é😀"\\\u2028'.repeat(40);
const listOf = (count: number) => Array.from({ length: count }, (_, number) => ({ number, text }));

describe('sendAnswer', () => {
  let server: Server;
  let records: readonly unknown[] = [];
  let sent: unknown;
  let sending: Promise<void> | undefined;
  let response: ServerResponse;
  let failed: unknown;

  const ask = async (method = 'GET'): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo;
    const asked = request({ host: '127.0.0.1', port, method }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer;
  };
  const textOf = async (answer: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };

  before(async () => {
    server = createServer((_, answer) => {
      response = answer;
      sending = sendAnswer(answer, 200, sent).catch((error: unknown) => {
        failed = error;
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  for (const count of [0, 1, 499, 500, 501, 1000, 1001, 20_000])
    it(`sends ${count} records as they are`, async () => {
      sent = records = listOf(count);
      const answer = await ask();
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(await textOf(answer)).to.equal(JSON.stringify(records));
    });

  const answers: Readonly<Record<string, unknown>> = {
    'a record': { name: 'a', absent: undefined, topics: ['b', null], inner: { list: [1] } },
    'a page': { data: listOf(2_000), none: [], absent: undefined, pagination: { total: 2_000 } },
    'a list of what JSON has no word for': [undefined, null, 1, 'x'],
    null: null,
  };
  for (const [title, answer] of Object.entries(answers))
    it(`sends ${title} as JSON.stringify writes it`, async () => {
      sent = answer;
      expect(await textOf(await ask())).to.equal(JSON.stringify(answer));
    });

  const inParts = async function* (failsAfter = Infinity): AsyncIterable<readonly unknown[]> {
    for (let from = 0; from < records.length; from += 100) {
      if (from >= failsAfter) throw new Error('The engine has gone');
      await Promise.resolve();
      yield records.slice(from, from + 100);
    }
  };

  it('sends a list that is read meanwhile, and a page with its end', async () => {
    for (const count of [0, 1, 100, 20_000]) {
      records = listOf(count);
      sent = { parts: inParts() };
      expect(await textOf(await ask())).to.equal(JSON.stringify(records));
      sent = { parts: inParts(), next: () => 'there' };
      expect(await textOf(await ask())).to.equal(JSON.stringify({ data: records, next: 'there' }));
    }
  });

  it('reads the list of a page while it is sent, and no further than a client that leaves', async () => {
    let [read, isOver] = [0, false];
    const data = async function* (list: readonly unknown[]): AsyncIterable<unknown> {
      try {
        for (const record of list) {
          read += 1;
          await Promise.resolve();
          yield record;
        }
      } finally {
        isOver = true;
      }
    };
    for (const count of [0, 1, 100]) {
      const page = { data: listOf(count), pagination: { total: count } };
      sent = { ...page, data: data(page.data) };
      expect(await textOf(await ask())).to.equal(JSON.stringify(page));
    }
    [read, isOver] = [0, false];
    const large = 'x'.repeat(1_000_000);
    sent = { data: data(Array.from({ length: 100 }, () => ({ large }))), pagination: {} };
    (await ask()).destroy();
    await eventually(() => isOver);
    expect(read).to.be.below(100);
  });

  it('has sent nothing when the first part cannot be read', async () => {
    records = listOf(200);
    sent = { parts: inParts(0) };
    failed = undefined;
    const answer = ask().catch((error: unknown) => error);
    await eventually(() => failed !== undefined);
    expect(response.headersSent).to.equal(false);
    response.destroy();
    await answer;
  });

  it('serializes large records in slices', async () => {
    sent = { data: Array.from({ length: 300 }, () => ({ files: 'ü"'.repeat(200_000) })) };
    const { longestMs } = await longestTurn(async () => {
      for await (const chunk of await ask()) expect(chunk).not.to.have.length(0);
    });
    expect(longestMs).to.be.below(150);
  });

  it('answers HEAD without a body', async () => {
    sent = records = listOf(2_000);
    expect(await textOf(await ask('HEAD'))).to.equal('');
    await sending;
  });

  it('yields to the event loop, and keeps no more in memory than the client reads', async () => {
    sent = records = listOf(100_000);
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const answer = await ask();
    answer.pause();
    let isOver = false;
    void sending?.then(() => (isOver = true));
    await eventually(() => response.writableNeedDrain);
    const before = turns;
    await eventually(() => turns > before + 20);
    expect(isOver).to.equal(false);
    expect(response.writableLength).to.be.below(2_000_000);
    expect(await textOf(answer)).to.equal(JSON.stringify(records));
    clearInterval(counting);
  });

  it('ends when the client has disconnected', async () => {
    sent = records = listOf(100_000);
    const answer = await ask();
    answer.pause();
    await eventually(() => response.writableNeedDrain);
    answer.destroy();
    await sending;
    expect(response.destroyed).to.equal(true);
  });
});
