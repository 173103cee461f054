import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@roomwire/testing/run/eventually';
import { sendList } from '../../src/http/sendJson.js';

const text = 'é😀"\\\u2028'.repeat(40);
const listOf = (count: number) => Array.from({ length: count }, (_, number) => ({ number, text }));

describe('sendList', () => {
  let server: Server;
  let records: readonly unknown[] = [];
  let sending: Promise<void> | undefined;
  let response: ServerResponse;

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
      sending = sendList(answer, 200, records);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  for (const count of [0, 1, 499, 500, 501, 1000, 1001, 20_000])
    it(`sends ${count} records as they are`, async () => {
      records = listOf(count);
      const answer = await ask();
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(await textOf(answer)).to.equal(JSON.stringify(records));
    });

  it('answers HEAD without a body', async () => {
    records = listOf(2_000);
    expect(await textOf(await ask('HEAD'))).to.equal('');
    await sending;
  });

  it('yields to the event loop, and keeps no more in memory than the client reads', async () => {
    records = listOf(100_000);
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
    records = listOf(100_000);
    const answer = await ask();
    answer.pause();
    await eventually(() => response.writableNeedDrain);
    answer.destroy();
    await sending;
    expect(response.destroyed).to.equal(true);
  });
});
