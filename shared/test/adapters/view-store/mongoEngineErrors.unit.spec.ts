import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { portError } from '../../../src/adapters/view-store/mongo/engineErrors.js';
import { EngineUnavailable } from '../../../src/ports/errors.js';

/** What a socket throws when nobody listens at the other end. */
const refusedConnection = async (): Promise<unknown> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return new Promise((resolve) => connect(port, '127.0.0.1').once('error', resolve));
};

describe('errors of the MongoDB driver', () => {
  it('mean a missing engine when they are of its network', () => {
    expect(portError(new MongoNetworkError('gone'))).to.be.instanceOf(EngineUnavailable);
  });

  it('mean a missing engine when the socket itself throws them', async () => {
    expect(portError(await refusedConnection())).to.be.instanceOf(EngineUnavailable);
    const ended = Object.assign(new Error('This socket has been ended by the other party'), {
      code: 'EPIPE',
    });
    expect(portError(ended)).to.be.instanceOf(EngineUnavailable);
  });

  it('stay what they are otherwise', () => {
    const mistake = new MongoServerError({ message: 'no such operator', code: 2 });
    expect(portError(mistake)).to.equal(mistake);
    const defect = new TypeError('x is not a function');
    expect(portError(defect)).to.equal(defect);
  });
});
