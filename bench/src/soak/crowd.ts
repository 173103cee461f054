import { inTurn } from '../generator/inTurn.js';
import { crew, Guest } from './guest.js';
import { LobbyWatcher, Onlooker } from './onlooker.js';
import { Participant, type Ground } from './participant.js';
import type { SoakRoom } from './rooms.js';

/** The actor types and numbers of those who take part. */
export interface Tokens {
  readonly users: readonly string[];
  readonly agents: readonly string[];
  readonly staff: readonly string[];
}

export const staffNeeded = 5;
const agentShare = 0.2;
const roomsPerTaskRoom = 10;
const joinsAtOnce = 25;

export const agentsAmong = (clients: number): number => Math.round(clients * agentShare);

/** Everybody. The staff stays for the whole time, so that what it knows is complete. */
export interface Crowd {
  readonly guests: readonly Guest[];
  readonly onlooker: Onlooker;
  /** Publishes the values that are retained. */
  readonly herald: Participant;
  /** Is a member of every group whose members must not all be gone. */
  readonly foreman: Participant;
  readonly watchers: readonly LobbyWatcher[];
  readonly taskRooms: readonly SoakRoom[];
}

export const makeCrowd = (ground: Ground, tokens: Tokens): Crowd => {
  const { rooms } = ground.place;
  const roomOf = (index: number): SoakRoom => rooms[index % rooms.length] as SoakRoom;
  const taskRooms = rooms.filter((_, index) => index % roomsPerTaskRoom === 0);
  let actors = 0;
  const guest = (token: string, index: number, isAgent: boolean): Guest => {
    const made = new Guest(ground, ++actors, roomOf(index), token, isAgent);
    if (isAgent) made.works = taskRooms.includes(made.room) ? 'at jobs and tasks' : 'at jobs';
    return made;
  };
  const guests = [
    ...tokens.agents.map((token, index) => guest(token, index, true)),
    ...tokens.users.map((token, index) => guest(token, index, false)),
  ];
  const seat = (index: number) => [ground, ++actors, roomOf(0), tokens.staff[index] ?? '', false] as const;
  return {
    guests,
    onlooker: new Onlooker(...seat(0)),
    herald: new Participant(...seat(1)),
    foreman: new Participant(...seat(2)),
    watchers: [new LobbyWatcher(...seat(3)), new LobbyWatcher(...seat(4))],
    taskRooms,
  };
};

/** Before the guests come. */
export const bringInStaff = async (
  { onlooker, herald, foreman, watchers }: Crowd,
  { place }: Ground,
): Promise<void> => {
  await onlooker.connect();
  for (const topic of place.topics.values()) await onlooker.subscribe(topic);
  await herald.connect();
  await foreman.connect();
  for (const { jobs } of place.rooms) await foreman.subscribe(jobs, { group: crew });
  for (const watcher of watchers) await watcher.watch();
};

/** A group whose members are all gone sleeps only once it has had one. */
export const foundTaskGroups = async ({ guests }: Crowd): Promise<void> => {
  const workers = guests.filter(({ works }) => works === 'at jobs and tasks');
  await inTurn(workers.length, joinsAtOnce, async (index) => {
    const worker = workers[index] as Guest;
    await worker.connect();
    await worker.subscribe(worker.room.tasks, { group: crew });
    worker.end('lose');
  });
};
