import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { judgeRefusal } from '../../src/doctor/rules.js';
import { readEngines } from '../../src/engines/engines.js';
import { refusalOf, type Refusal } from '../../src/engines/refusals.js';
import { createVariableReader } from '../../src/environment.js';

const withFields = (name: string, message: string, fields: object = {}): Error =>
  Object.assign(new Error(message), { name, ...fields });

/** As the clients of the engines reject. */
const errors: readonly (readonly [Refusal, Error])[] = [
  [
    'password',
    withFields('UnknownError', '16 UNAUTHENTICATED: Authentication Failed', { code: 16, type: 'unknown' }),
  ],
  [
    'rights',
    withFields('AccessDeniedError', '7 PERMISSION_DENIED: Access Denied', { code: 7, type: 'access-denied' }),
  ],
  [
    'certificate',
    withFields(
      'UnavailableError',
      '14 UNAVAILABLE: No connection established. Last error: unable to verify the first certificate',
      {
        type: 'unavailable',
      },
    ),
  ],
  [
    'no leader',
    new Error('The message bus cannot be reached', { cause: new Error('No partition takes records') }),
  ],
  ['no leader', withFields('NotLeaderError', '5 NOT_FOUND: Leader info available', { type: 'not-leader' })],
  [
    'no leader',
    withFields('UnknownError', '2 UNKNOWN: Could not recognize Server Is Not Ready', { type: 'unknown' }),
  ],
  [
    'away',
    withFields('UnavailableError', '14 UNAVAILABLE: No connection established', { type: 'unavailable' }),
  ],
  [
    'password',
    withFields('MongoServerError', 'Authentication failed.', { code: 18, codeName: 'AuthenticationFailed' }),
  ],
  [
    'rights',
    withFields('MongoServerError', 'command find requires authentication', {
      code: 13,
      codeName: 'Unauthorized',
    }),
  ],
  [
    'no leader',
    withFields('MongoServerError', 'not primary', { code: 10107, codeName: 'NotWritablePrimary' }),
  ],
  [
    'no leader',
    withFields('MongoServerSelectionError', 'connect ECONNREFUSED 127.0.0.1:27017', {
      reason: {
        servers: new Map([
          ['one', { type: 'RSSecondary' }],
          ['other', { type: 'Unknown' }],
        ]),
      },
    }),
  ],
  [
    'away',
    withFields('MongoServerSelectionError', 'connect ECONNREFUSED 127.0.0.1:27017', {
      reason: { servers: new Map([['one', { type: 'Unknown' }]]) },
    }),
  ],
  ['password', withFields('KafkaJSSASLAuthenticationError', 'SASL PLAIN authentication failed')],
  ['rights', withFields('KafkaJSProtocolError', 'Not authorized', { type: 'TOPIC_AUTHORIZATION_FAILED' })],
  ['certificate', withFields('Error', 'self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })],
  ['unknown host', withFields('Error', 'getaddrinfo ENOTFOUND kafka', { code: 'ENOTFOUND' })],
];

const settings = {
  ROOMWIRE_EVENTSTORE_URL: 'esdb://someone:their-password@127.0.0.1:2113?tls=false',
  ROOMWIRE_MONGODB_URL: 'mongodb://someone:their-password@127.0.0.1/db',
  ROOMWIRE_KAFKA_BROKERS: '127.0.0.1:9092',
};
const enginesOf = (environment: Readonly<Record<string, string>>) =>
  readEngines(createVariableReader(environment, []), []);

describe('the refusal of an engine', () => {
  for (const [refusal, error] of errors)
    it(`is ${refusal} for ${error.name}: ${error.message}`, () => {
      expect(refusalOf(error)).to.equal(refusal);
      expect(refusalOf(new EngineUnavailable('event log', { cause: error }))).to.equal(refusal);
    });

  it('is not known for any other error', () => {
    expect(refusalOf(new TypeError('a defect'))).to.equal(undefined);
  });

  it('is reported by the doctor with what helps, by the settings of the engine, and without its message', () => {
    for (const engine of Object.values(enginesOf(settings)))
      for (const [refusal] of errors) {
        const [, error] = errors.find(([each]) => each === refusal) ?? [];
        const { status, message, action } = judgeRefusal(engine, error, 'SomeError');
        expect({ status, action }).to.eql({ status: 'error', action: engine.remedies[refusal] });
        expect(action).to.be.a('string');
        expect(message).to.not.include(error?.message);
      }
  });

  it('is what a server answers that tells its version to anybody', async () => {
    const answers = [
      ['password', '16', 'Authentication Failed'],
      ['rights', '7', 'Access Denied'],
      ['no leader', '2', 'Server Is Not Ready'],
    ] as const;
    for (const [refusal, status, message] of answers) {
      const server = createServer();
      const answer = {
        ...{ ':status': 200, 'content-type': 'application/grpc' },
        ...{ 'grpc-status': status, 'grpc-message': message },
      };
      server.on('stream', (stream) => stream.respond(answer, { endStream: true }));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { eventLog } = enginesOf({ ROOMWIRE_EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` });
      const error = await eventLog.inspect().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(refusalOf(error)).to.equal(refusal);
      server.close();
    }
  });
});
