import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ApiRefused } from '../../src/api-client/apiRequests.js';
import { readHistory, type HistoryPart, type HistoryQuestion } from '../../src/history/readHistory.js';

const apps = Array.from({ length: 101 }, (_, at) => ({ appId: `app-id-${at}`, slug: `app-${at}` }));
const messages = Array.from({ length: 1_500 }, (_, at) => ({ id: `message-${at}` }));
const scopeId = '0c1d6a4e-8a8e-4d0e-9f0c-000000000001';

describe('readHistory', () => {
  let server: Server;
  let url: string;
  let asked: URL[];

  /** As the API does, with positions that are numbers. */
  const bodyFor = ({ pathname, searchParams: query }: URL): object | undefined => {
    const [limit, page] = [Number(query.get('limit')), Number(query.get('page'))];
    if (pathname === '/api/v1/apps') return { data: apps.slice((page - 1) * limit, page * limit) };
    if (pathname === '/api/v1/scopes')
      return { data: query.get('slug') === 'hidden' ? [{ accessScopeId: scopeId }] : [] };
    if (pathname.endsWith('/rooms')) return query.get('slug') === 'hall' ? [{ roomId: 'room-id' }] : [];
    if (!pathname.endsWith('/app-id-100/rooms/room-id/topics/chat/messages')) return undefined;
    const start = Number(query.get('before') ?? query.get('after') ?? 0);
    const data = messages.slice(start, start + limit);
    const end = start + data.length;
    return end < messages.length ? { data, next: String(end) } : { data };
  };

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      const target = new URL(request.url ?? '', 'http://localhost');
      asked.push(target);
      const isAllowed = request.headers.authorization === 'Bearer key';
      const body = isAllowed ? bodyFor(target) : { message: 'Invalid or expired API key' };
      const status = isAllowed ? (body ? 200 : 404) : 401;
      response.writeHead(status).end(JSON.stringify(body ?? { message: 'Topic "x" not found' }));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  });
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  afterEach(() => close());

  const read = async (fields: Partial<HistoryQuestion> = {}, credential = 'key'): Promise<HistoryPart[]> => {
    const names = { appSlug: 'app-100', roomSlug: 'hall', topic: 'chat' };
    const question = { ...names, scope: undefined, from: undefined, limit: 10, ...fields };
    const parts: HistoryPart[] = [];
    for await (const part of readHistory({ url, credential }, question)) parts.push(part);
    return parts;
  };
  const askedOfMessages = () =>
    asked.filter(({ pathname }) => pathname.endsWith('/messages')).map(({ search }) => search);
  const refusal = async (fields: Partial<HistoryQuestion>, credential?: string): Promise<string> => {
    try {
      await read(fields, credential);
    } catch (error) {
      expect(error).to.be.instanceOf(ApiRefused);
      return (error as Error).message;
    }
    throw new Error('It was not refused');
  };

  it('finds a topic by its address, on any page of apps', async () => {
    const [part, ...rest] = await read();
    expect([part?.data, part?.next, rest]).to.eql([messages.slice(0, 10), '10', []]);
    expect(askedOfMessages()).to.eql(['?limit=10']);
  });

  it('goes on until it has as many as are asked for, or all', async () => {
    const parts = await read({ limit: 1_200 });
    expect(parts.flatMap(({ data }) => data)).to.eql(messages.slice(0, 1_200));
    expect(askedOfMessages()).to.eql(['?limit=1000', '?before=1000&limit=200']);
    expect((await read({ limit: 99_999 })).flatMap(({ data }) => data)).to.eql(messages);
  });

  it('goes on in the direction in which it began', async () => {
    await read({ from: { after: '' }, limit: 1_001 });
    expect(askedOfMessages()).to.eql(['?after=&limit=1000', '?after=1000&limit=1']);
  });

  it('takes the id or the slug of a scope', async () => {
    for (const scope of [scopeId, 'hidden']) await read({ scope });
    const search = `?scope=${scopeId}&limit=10`;
    expect(askedOfMessages()).to.eql([search, search]);
  });

  it('says what there is not, and what the API says', async () => {
    const within = 'in the project';
    expect(await refusal({ appSlug: 'other' })).to.equal(`There is no app other ${within}`);
    expect(await refusal({ roomSlug: 'other' })).to.equal(`There is no room other ${within}`);
    expect(await refusal({ scope: 'other' })).to.equal(`There is no access scope other ${within}`);
    expect(await refusal({ topic: 'x' })).to.equal('Topic "x" not found');
    expect(await refusal({}, 'another')).to.equal('Invalid or expired API key');
  });

  it('says why there is no answer', async () => {
    await close();
    expect(await refusal({})).to.match(/: fetch failed: /);
  });
});
