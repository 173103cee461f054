import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { Door } from '@roomwire/testing/run/door';
import { eventually } from '@roomwire/testing/run/eventually';
import { freePort } from '@roomwire/testing/run/freePort';

/** Says its name to everybody who comes, and repeats what it hears. */
class Room {
  readonly guests = new Set<Socket>();
  private readonly server: Server;

  private constructor(name: string) {
    this.server = createServer((guest) => {
      this.guests.add(guest.on('close', () => this.guests.delete(guest)).on('error', () => undefined));
      guest.write(name);
      guest.pipe(guest);
    });
  }

  static async open(name: string): Promise<Room> {
    const room = new Room(name);
    await once(room.server.listen(0, '127.0.0.1'), 'listening');
    return room;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const guest of this.guests) guest.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('a door', () => {
  let rooms: [Room, Room];
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    rooms = [await Room.open('a'), await Room.open('b')];
    opened.push(...rooms);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  const doorTo = async (...baseUrls: readonly string[]): Promise<Door> => {
    const door = await Door.open(...baseUrls);
    opened.push(door);
    return door;
  };
  const enter = async ({ port }: Door): Promise<{ readonly guest: Socket; readonly heard: string }> => {
    const guest = connect(port, '127.0.0.1').setEncoding('utf8');
    guest.on('error', () => undefined);
    const [heard] = await Promise.race([once(guest, 'data'), once(guest, 'close').then(() => ['nothing'])]);
    return { guest, heard: heard as string };
  };
  const heardBy = async (door: Door): Promise<string> => {
    const { guest, heard } = await enter(door);
    guest.destroy();
    return heard;
  };

  it('leads to each of its rooms in turn, and carries what is said both ways', async () => {
    const door = await doorTo(rooms[0].baseUrl, rooms[1].baseUrl);
    const heard = [await heardBy(door), await heardBy(door), await heardBy(door), await heardBy(door)];
    expect(heard.sort()).to.eql(['a', 'a', 'b', 'b']);
    const { guest } = await enter(door);
    guest.write('hello');
    expect(await once(guest, 'data')).to.eql(['hello']);
    guest.destroy();
  });

  it('passes over a room where nobody answers', async () => {
    const door = await doorTo(`http://127.0.0.1:${await freePort()}`, rooms[1].baseUrl);
    expect([await heardBy(door), await heardBy(door)]).to.eql(['b', 'b']);
  });

  it('ends a connection where no room can be reached', async () => {
    const door = await doorTo(`http://127.0.0.1:${await freePort()}`);
    expect(await heardBy(door)).to.equal('nothing');
  });

  it('leads elsewhere from then on, and leaves the others where they are', async () => {
    const door = await doorTo(rooms[0].baseUrl);
    const { guest } = await enter(door);
    door.leadTo(rooms[1].baseUrl);
    expect(await heardBy(door)).to.equal('b');
    guest.write('still here');
    expect(await once(guest, 'data')).to.eql(['still here']);
    guest.destroy();
  });

  it('ends the other side with each side', async () => {
    const door = await doorTo(rooms[0].baseUrl);
    const { guest } = await enter(door);
    guest.destroy();
    await eventually(() => rooms[0].guests.size === 0, { what: 'the room to be empty' });
    const other = await enter(door);
    const closed = once(other.guest, 'close');
    for (const inside of rooms[0].guests) inside.destroy();
    await closed;
  });

  it('ends all that have entered when it is closed', async () => {
    const door = await Door.open(rooms[0].baseUrl);
    const { guest } = await enter(door);
    const closed = once(guest, 'close');
    await door.close();
    await closed;
    await eventually(() => rooms[0].guests.size === 0, { what: 'the room to be empty' });
  });
});
