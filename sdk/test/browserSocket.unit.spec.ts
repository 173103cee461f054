import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openSocket } from '../src/socket/browserSocket.js';
import type { SocketEnd, WebSocketLike } from '../src/socket/clientSocket.js';

/** Stands for the browser's WebSocket; the test fires the events. */
class FakeWebSocket implements WebSocketLike {
  static last: FakeWebSocket;
  readonly url: string;
  readonly sent: Uint8Array[] = [];
  readonly closedWith: (number | undefined)[] = [];
  binaryType = 'blob';
  onopen: WebSocketLike['onopen'] = null;
  onmessage: WebSocketLike['onmessage'] = null;
  onerror: WebSocketLike['onerror'] = null;
  onclose: WebSocketLike['onclose'] = null;

  constructor(url: string) {
    this.url = url;
    FakeWebSocket.last = this;
  }

  send(bytes: Uint8Array): void {
    this.sent.push(bytes);
  }

  close(code?: number): void {
    this.closedWith.push(code);
  }
}

describe('browser socket', () => {
  const globals = globalThis as { WebSocket?: unknown };
  const original = globals.WebSocket;

  beforeEach(() => (globals.WebSocket = FakeWebSocket));
  afterEach(() => (globals.WebSocket = original));

  const opened = () => {
    const frames: (Uint8Array | string)[] = [];
    const ends: SocketEnd[] = [];
    let opens = 0;
    const socket = openSocket('wss://rooms.example/ws', {
      onOpen: () => opens++,
      onFrame: (frame) => frames.push(frame),
      onClose: (end) => ends.push(end),
    });
    return { socket, frames, ends, opens: () => opens, fake: FakeWebSocket.last };
  };

  it('opens the global WebSocket for binary frames as array buffers', () => {
    const { fake, opens } = opened();
    expect(fake).to.include({ url: 'wss://rooms.example/ws', binaryType: 'arraybuffer' });
    fake.onopen?.();
    expect(opens()).to.equal(1);
  });

  it('passes binary and text frames on', () => {
    const { fake, frames } = opened();
    fake.onmessage?.({ data: Uint8Array.of(1, 2).buffer });
    fake.onmessage?.({ data: 'text' });
    expect(frames).to.deep.equal([Uint8Array.of(1, 2), 'text']);
  });

  it('passes the close on, also after an error', () => {
    const { fake, ends } = opened();
    fake.onerror?.({});
    fake.onclose?.({ code: 1006, reason: '' });
    expect(ends).to.deep.equal([{ code: 1006, reason: '' }]);
  });

  it('sends, closes with 1000, and releases its listeners on the page', () => {
    const { socket, fake } = opened();
    socket.send(Uint8Array.of(7));
    socket.close();
    socket.abandon();
    expect(fake.sent).to.deep.equal([Uint8Array.of(7)]);
    expect(fake.closedWith).to.deep.equal([1000, undefined]);
  });

  it('is the implementation that the package selects under the browser condition', async () => {
    const script = `
      globalThis.WebSocket = class { constructor(url) { console.log(url); } close() {} };
      const { connect } = await import('@roomwire/sdk');
      const client = connect({ url: 'ws://browser.example/ws', token: 't' });
      await new Promise(setImmediate);
      await client.close();`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=browser', '--input-type=module', '--eval', script],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)) },
    );
    expect(stdout.trim()).to.equal('ws://browser.example/ws');
  });

  it('is the only platform-specific part: no other file imports ws or a Node module', async () => {
    const source = new URL('../src/', import.meta.url);
    const names = await readdir(source, { recursive: true });
    const offenders: string[] = [];
    for (const name of names.filter((name) => name.endsWith('.js'))) {
      const text = await readFile(new URL(name, source), 'utf8');
      if (/from '(node:|ws')/.test(text)) offenders.push(name);
    }
    expect(offenders).to.deep.equal(['socket/nodeSocket.js']);
  });
});
