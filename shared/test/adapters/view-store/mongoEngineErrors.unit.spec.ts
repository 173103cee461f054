import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { MongoBulkWriteError, MongoNetworkError, MongoServerError, type BulkWriteResult } from 'mongodb';
import { duplicatesIn, portError } from '../../../src/adapters/mongo/errors.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';

/** The error of a socket to a closed port. */
const refusedConnection = async (): Promise<unknown> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return new Promise((resolve) => connect(port, '127.0.0.1').once('error', resolve));
};

describe('errors of the MongoDB driver', () => {
  it('mean an unavailable engine when they are network errors', () => {
    expect(portError(new MongoNetworkError('gone'), 'read models')).to.be.instanceOf(EngineUnavailable);
  });

  it('mean an unavailable engine when the socket itself throws them', async () => {
    expect(portError(await refusedConnection(), 'read models')).to.be.instanceOf(EngineUnavailable);
    const ended = Object.assign(new Error('This socket has been ended by the other party'), {
      code: 'EPIPE',
    });
    expect(portError(ended, 'read models')).to.be.instanceOf(EngineUnavailable);
  });

  const noWriteConcernError = { getWriteConcernError: () => undefined } as unknown as BulkWriteResult;

  it('mean an unavailable engine when it fails during a bulk write, whose outcome is then unknown', () => {
    const error = new MongoBulkWriteError(new MongoNetworkError('closed'), noWriteConcernError);
    expect(portError(error, 'read models')).to.be.instanceOf(EngineUnavailable);
    expect(duplicatesIn(error)).to.equal(undefined);
  });

  it('name the operations of a bulk write with a duplicate key, if there are no other errors', () => {
    const failedWith = (...codes: readonly number[]) =>
      new MongoBulkWriteError(
        { message: 'x', code: 11000, writeErrors: codes.map((code, index) => ({ code, index })) as never },
        noWriteConcernError,
      );
    expect(duplicatesIn(failedWith(11000, 11000))).to.eql([0, 1]);
    expect(duplicatesIn(failedWith(11000, 2))).to.equal(undefined);
    expect(duplicatesIn(failedWith())).to.equal(undefined);
  });

  it('are passed on otherwise', () => {
    const mistake = new MongoServerError({ message: 'no such operator', code: 2 });
    expect(portError(mistake, 'read models')).to.equal(mistake);
    const defect = new TypeError('x is not a function');
    expect(portError(defect, 'read models')).to.equal(defect);
  });
});
