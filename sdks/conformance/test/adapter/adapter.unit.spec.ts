import { expect } from 'chai';
import { Adapter } from '../../src/adapter/adapter.js';
import type { AdapterEvent, Listener } from '../../src/adapter/protocol.js';

/** Answers `echo` with what it got, `ask` with the token that it asks for, and ends at `crash`. */
const program = `
const say = (line) => console.log(JSON.stringify(line));
say({ hello: { language: 'none', supports: ['history'] } });
let asking;
require('node:readline').createInterface({ input: process.stdin }).on('line', (text) => {
  const line = JSON.parse(text);
  if (line.answer) return say({ id: asking, ok: line.ok ?? null, ...(line.error && { error: { error: line.error } }) });
  if (line.do === 'crash') return process.exit(1);
  if (line.do === 'ask') return (asking = line.id), say({ ask: 1, client: line.client, refused: null });
  say({ event: 'state', client: line.client, name: 'connected' });
  say({ id: line.id, ok: line.value });
});`;

const command = { command: process.execPath, args: ['-e', program] };

const listener = (events: AdapterEvent[] = [], token: () => Promise<string> = async () => 't'): Listener => ({
  onEvent: (event) => void events.push(event),
  onQuestion: token,
  onLine: () => undefined,
});

describe('An adapter', () => {
  it('is told apart by the scenarios that use it at once', async () => {
    const adapter = await Adapter.start(command);
    const [one, other]: AdapterEvent[][] = [[], []];
    const [first, second] = [adapter.open(listener(one)), adapter.open(listener(other))];
    const request = (value: number) => ({ client: 'ann', value });
    expect(await Promise.all([first.request('echo', request(1)), second.request('echo', request(2))])).to.eql(
      [{ ok: 1 }, { ok: 2 }],
    );
    expect(one).to.eql([{ event: 'state', client: 'ann', name: 'connected' }]);
    expect(other).to.eql(one);
    expect(adapter.hello.supports).to.eql(['history']);
    await adapter.close();
  });

  it('is answered what it asks for', async () => {
    const adapter = await Adapter.start(command);
    const good = adapter.open(listener());
    expect(await good.request('ask', { client: 'ann' })).to.eql({ ok: 't' });
    const bad = adapter.open(listener([], () => Promise.reject(new Error('away'))));
    expect(await bad.request('ask', { client: 'ann' })).to.eql({ error: { error: 'away' } });
    await adapter.close();
  });

  it('that ends leaves no request without an answer', async () => {
    const adapter = await Adapter.start(command);
    const conversation = adapter.open(listener());
    expect(await conversation.request('crash', { client: 'ann' })).to.have.nested.property(
      'error.error',
      'adapter_ended',
    );
    expect(await conversation.request('echo', { client: 'ann' })).to.have.nested.property(
      'error.error',
      'adapter_ended',
    );
  });

  it('that does not introduce itself is refused', async () => {
    const silent = { command: process.execPath, args: ['-e', 'console.error("no such thing")'] };
    const failure = await Adapter.start(silent).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).to.contain('{"hello": …}');
  });
});
