import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { decode } from '@msgpack/msgpack';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { silentLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { createGateway, type Gateway } from '../../../src/gateway.js';
import type { FrameSocket } from '../../../src/socket/wsListener.js';
import { World } from '../../support/world.js';

const socketWith = (written: Buffer[]): FrameSocket => ({
  write: (frames) => void written.push(frames),
  bufferedBytes: 0,
  isAmidFragments: false,
  pause: () => undefined,
  resume: () => undefined,
  close: () => undefined,
  terminate: () => undefined,
  bound: () => true,
  onRead: () => () => undefined,
});

describe('a WebSocket that comes by no HTTP server', () => {
  let world: World;
  let gateway: Gateway;

  beforeEach(async () => {
    world = await World.open();
    const { views, usage, bus, sessions, publishIds, secretBox } = world;
    gateway = createGateway({
      ...{ views, usage, bus, sessions, publishIds, secretBox },
      ...{ clock: systemClock, random: systemRandom, logger: silentLogger },
    });
  });

  afterEach(async () => {
    await gateway.close();
    await world.close();
  });

  it('is taken and answered like any other, while the gateway takes any', async () => {
    expect(gateway.accept(socketWith([]), '192.0.2.1')).to.equal(undefined);
    await gateway.start();
    const written: Buffer[] = [];
    const receiver = gateway.accept(socketWith(written), '192.0.2.1');
    expect(gateway.connections).to.equal(1);
    receiver?.onFrame(Buffer.alloc(0), false);
    await eventually(() => written.length > 0);
    expect(decode((written[0] as Buffer).subarray(2))).to.eql({ type: 'error', error: 'not_authenticated' });
    receiver?.onClosed(1005);
    expect(gateway.connections).to.equal(0);
    await gateway.drain(0);
    expect(gateway.accept(socketWith([]), '192.0.2.1')).to.equal(undefined);
  });
});
