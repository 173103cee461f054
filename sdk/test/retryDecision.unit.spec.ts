import { expect } from 'chai';
import { retryDecision, type RetryDecision } from '../src/connection/reconnect.js';
import { AuthenticationError, ConnectionError, RoomwireError } from '../src/errors.js';

const backoff: RetryDecision = { pace: 'backoff', tokenRefused: false };
const early: RetryDecision = { pace: 'early', tokenRefused: false };
const soon: RetryDecision = { pace: 'soon', tokenRefused: false };

const closes: [number, RetryDecision][] = [
  [1000, early],
  [1001, early],
  [1006, early],
  [1007, backoff],
  [1008, backoff],
  [1009, backoff],
  [1012, soon],
  [1013, backoff],
  [4000, early],
  [4001, { pace: 'backoff', tokenRefused: true }],
  [4002, backoff],
  [4003, { pace: 'soon', tokenRefused: true }],
];

const failures: [string, RetryDecision][] = [
  ['access_denied', { pace: 'backoff', tokenRefused: true }],
  ['api_key_as_token', { pace: 'backoff', tokenRefused: true }],
  ['token_expired', { pace: 'soon', tokenRefused: true }],
  ['authentication_failed', early],
  ['connection_failed', early],
  ['connection_limit_reached', backoff],
  ['broker_unavailable', early],
  ['a name of a later version', early],
];

describe('retryDecision', () => {
  for (const [closeCode, decision] of closes)
    it(`decides by close code ${closeCode}`, () => {
      expect(retryDecision(new ConnectionError('connection_lost', { closeCode }))).to.deep.equal(decision);
    });

  for (const [error, decision] of failures)
    it(`decides by the failure ${error}`, () => {
      expect(retryDecision(new AuthenticationError(error))).to.deep.equal(decision);
    });

  it('retries when the server could not be reached, was too slow or answered something else', () => {
    for (const error of ['unreachable', 'connect_timeout', 'auth_timeout', 'heartbeat_timeout'] as const)
      expect(retryDecision(new ConnectionError(error))).to.deep.equal(early);
    expect(retryDecision(new RoomwireError('invalid_frame'))).to.deep.equal(backoff);
  });

  it('[WS-CONN-16] comes back with the same token, and not at once, where somebody closed the connection by hand', () => {
    const kicked = new ConnectionError('connection_lost', { closeCode: 4001, closeReason: 'kicked' });
    expect(retryDecision(kicked)).to.deep.equal(backoff);
  });

  it('stops at a server of protocol version 1', () => {
    expect(retryDecision(new ConnectionError('unsupported_protocol'))).to.equal('stop');
  });
});
