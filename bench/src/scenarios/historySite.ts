import { onEngines, type RunningEngines } from '../engines/onEngines.js';
import { inTurn } from '../generator/pace.js';
import type { RoomwireLogin } from '../generator/jobs.js';
import { roomwireApi, startRoomwire } from '../peers/roomwire.js';
import { createProject, type RunningService, startService } from '../peers/roomwireService.js';
import { type Started, withStarted } from '../process/children.js';
import type { Ground } from './scenario.js';

const createdAtOnce = 16;

/** Roomwire on one of its profiles, as what measures its history needs it. */
export interface HistorySite {
  readonly where: 'on files' | 'over Kafka';
  /** Of the generators. */
  readonly core: number | undefined;
  readonly api: { readonly port: number; readonly credentials: { readonly apiKey: string } };
  /** What clients connect to. */
  readonly gateway: Pick<RunningService, 'port' | 'processId'>;
}

export interface FileSite extends HistorySite {
  /** Of the program. */
  readonly folder: string;
}

export interface EngineSite extends HistorySite {
  readonly engines: RunningEngines;
}

export const onFiles = <T>(
  ground: Ground,
  name: string,
  work: (site: FileSite, started: Started) => Promise<T>,
): Promise<T> =>
  withStarted(async (started) => {
    ground.say(`${name}: starting the server`);
    const folder = await ground.folder.inside(name);
    const roomwire = started.add(await startRoomwire(folder, ground.cores.server));
    const core = ground.cores.generator;
    return work({ where: 'on files', core, folder, api: roomwire, gateway: roomwire }, started);
  });

export const onKafka = <T>(
  ground: Ground,
  work: (site: EngineSite, started: Started) => Promise<T>,
): Promise<T> =>
  onEngines(ground, async (engines, started) => {
    const { port } = started.add(await startService('command-api', engines));
    started.add(await startService('projections', engines));
    const gateway = started.add(await startService('gateway', engines));
    const credentials = await createProject(port);
    return work(
      { where: 'over Kafka', core: undefined, engines, api: { port, credentials }, gateway },
      started,
    );
  });

/** Rooms of an app of their own with a topic each, whose addresses are equally long. The topic keeps what is usual, or nothing. */
export const makeRooms = async (
  { api }: HistorySite,
  rooms: number,
  isKept: boolean,
): Promise<readonly string[]> => {
  const creating = roomwireApi(api);
  const app = await creating.createApp('load', isKept ? { topicConfigs: { load: { history: {} } } } : {});
  const slugs = Array.from({ length: rooms }, (_, index) => `room-${String(index).padStart(5, '0')}`);
  await inTurn(rooms, createdAtOnce, (index) => creating.createRoom(app.appId, slugs[index] ?? ''));
  return slugs.map((slug) => `${app.slug}/${slug}/load`);
};

export const makeLogin = async ({ api }: HistorySite, subscribers: number): Promise<RoomwireLogin> => {
  const [publisherToken = '', ...subscriberTokens] = await roomwireApi(api).createActors(1 + subscribers);
  return { protocol: 'roomwire', publisherToken, subscriberTokens };
};
