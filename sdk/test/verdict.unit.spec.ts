import { expect } from 'chai';
import { verdictOn, type Verdict } from '../src/connection/verdict.js';
import { AuthenticationError, ConnectionError, RoomwireError } from '../src/errors.js';

const backoff: Verdict = { pace: 'backoff', tokenRefused: false };
const soon: Verdict = { pace: 'soon', tokenRefused: false };

const closes: [number, Verdict][] = [
  [1000, backoff],
  [1001, backoff],
  [1006, backoff],
  [1008, backoff],
  [1009, backoff],
  [1012, soon],
  [1013, backoff],
  [4000, backoff],
  [4001, { pace: 'backoff', tokenRefused: true }],
  [4002, backoff],
  [4003, { pace: 'soon', tokenRefused: true }],
];

const failures: [string, Verdict][] = [
  ['access_denied', { pace: 'backoff', tokenRefused: true }],
  ['token_expired', { pace: 'soon', tokenRefused: true }],
  ['authentication_failed', backoff],
  ['connection_failed', backoff],
  ['connection_limit_reached', backoff],
  ['broker_unavailable', backoff],
  ['a name of a later version', backoff],
];

describe('verdictOn', () => {
  for (const [closeCode, verdict] of closes)
    it(`knows what close code ${closeCode} means`, () => {
      expect(verdictOn(new ConnectionError('connection_lost', { closeCode }))).to.deep.equal(verdict);
    });

  for (const [error, verdict] of failures)
    it(`knows what the failure ${error} means`, () => {
      expect(verdictOn(new AuthenticationError(error))).to.deep.equal(verdict);
    });

  it('retries when the server could not be reached, was too slow or answered something else', () => {
    for (const error of ['unreachable', 'connect_timeout', 'auth_timeout', 'heartbeat_timeout'] as const)
      expect(verdictOn(new ConnectionError(error))).to.deep.equal(backoff);
    expect(verdictOn(new RoomwireError('invalid_frame'))).to.deep.equal(backoff);
  });

  it('stops at a server of protocol version 1', () => {
    expect(verdictOn(new ConnectionError('unsupported_protocol'))).to.equal('stop');
  });
});
