import { expect } from 'chai';
import { connect, type ClientOptions } from '../src/index.js';
import { readOptions } from '../src/options.js';

const required = { url: 'wss://rooms.example/ws', token: 'at_live_1.secret' };

describe('options', () => {
  it('have the times of the protocol by default', () => {
    expect(readOptions(required)).to.deep.include({
      ...required,
      resume: false,
      reconnect: {
        ...{ baseMs: 5_000, multiplier: 1.5, maxMs: 30_000, jitter: 0.5, restartSpreadMs: 3_000 },
        ...{ earlyMs: [500, 1_000, 2_000], wellMs: 10_000 },
      },
      heartbeat: { intervalMs: 30_000, timeoutMs: 10_000 },
      timeouts: {
        ...{ connectMs: 10_000, authMs: 10_000, tokenMs: 30_000 },
        ...{ requestMs: 30_000, publishMs: 60_000, closeMs: 2_000 },
      },
      notices: true,
    });
  });

  it('may be specified in part', () => {
    const { reconnect, heartbeat } = readOptions({
      ...required,
      reconnect: { baseMs: 1 },
      heartbeat: { timeoutMs: 2 },
    });
    expect(reconnect).to.include({ baseMs: 1, multiplier: 1.5 });
    expect(heartbeat).to.deep.equal({ intervalMs: 30_000, timeoutMs: 2 });
  });

  it('are refused with a list of every problem', () => {
    const wrong: ClientOptions = {
      url: 'http://rooms.example',
      token: '',
      reconnect: { baseMs: 0, multiplier: 0.5, jitter: 2, restartSpreadMs: -1, earlyMs: [0], wellMs: -1 },
      heartbeat: { intervalMs: 3e9 },
      timeouts: { authMs: Number.NaN },
    };
    expect(() => connect(wrong)).to.throw(
      TypeError,
      /url .*; token .*; heartbeat\.intervalMs .*; timeouts\.authMs .*; reconnect\.baseMs .*; reconnect\.multiplier .*; reconnect\.jitter .*; reconnect\.restartSpreadMs .*; reconnect\.wellMs .*; reconnect\.earlyMs\.0 /,
    );
  });

  it('accept only an address that a WebSocket accepts', () => {
    for (const url of ['', '/ws', 'ws://', 'ws://host/ws#part', 'https://host/ws'])
      expect(() => readOptions({ ...required, url }), url).to.throw(TypeError, /url/);
  });
});
