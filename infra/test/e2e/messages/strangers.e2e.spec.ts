import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { FrameClient } from '@roomwire/testing/clients/frameClient';
import { eventually } from '@roomwire/testing/run/eventually';
import { expect } from 'chai';
import { startTestService, type TestService } from '../../support/testService.js';

const most = limitTable.unauthenticatedSocketsPerAddress.value;

describe('strangers on the socket of the service', () => {
  let service: TestService;
  const sockets: Socket[] = [];

  before(async () => void (service = await startTestService({ trustedProxies: 1 })));
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await service.close();
  });

  /** The HTTP status of a handshake of a client behind the proxy. */
  const handshake = async (address: string): Promise<string> => {
    const { hostname, port, host } = new URL(service.socketUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    sockets.push(socket);
    socket.write(
      [
        'GET /ws HTTP/1.1',
        `Host: ${host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        `X-Forwarded-For: 203.0.113.1, ${address}`,
        '\r\n',
      ].join('\r\n'),
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString('latin1', 9, 12);
  };

  it('[WS-CONN-11] an address behind the proxy has a thousand that are not authenticated, and the others theirs', async () => {
    const statuses = new Map<string, number>();
    for (let sent = 0; sent < most + 20; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => handshake('192.0.2.1')));
      for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).to.deep.equal({ '101': most, '429': 20 });
    expect(await handshake('192.0.2.2')).to.equal('101');
    const [line, ...more] = service.logLines.filter(({ message }) => message === 'Limit reached');
    expect(line?.fields).to.include({ limit: 'unauthenticatedSocketsPerAddress', address: '192.0.2.1' });
    expect(more).to.deep.equal([]);
  }).timeout(60_000);

  it('[WS-AUTH-15] is closed when it floods, and its place is free again', async () => {
    const client = await FrameClient.connect(service.socketUrl);
    for (let count = 0; count < 20; count++) client.send({ type: 'publish', topic: 'a/b/c', data: count });
    expect(await client.closed).to.deep.equal({ code: 1008, reason: 'too_many_frames_before_auth' });
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(async () => (await handshake('192.0.2.1')) === '101');
  });
});
