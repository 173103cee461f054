import { randomUUID } from 'node:crypto';
import type { Fields } from '../scenario/match.js';
import type { Rest } from '../server/rest.js';
import type { Given } from './given.js';
import { type Endpoint, startEndpoint } from './endpoint.js';
import { clientToken, type TokenOptions } from './tokens.js';

/** What a scenario is given, made over REST, in an app of its own. */
export class World {
  /** What steps may name, by name. */
  readonly names: Fields;
  private readonly rest: Rest;
  private readonly actors: ReadonlyMap<string, Fields>;
  private readonly endpoint: Endpoint | undefined;
  private readonly signingKeys = new Map<boolean, Promise<string>>();

  private constructor(
    rest: Rest,
    names: Fields,
    actors: ReadonlyMap<string, Fields>,
    endpoint: Endpoint | undefined,
  ) {
    [this.rest, this.names, this.actors, this.endpoint] = [rest, names, actors, endpoint];
  }

  static async make(given: Given, rest: Rest): Promise<World> {
    const endpoint = given.hydration === undefined ? undefined : await startEndpoint(given.hydration);
    const app = await rest.make('/apps', {
      name: 'conformance',
      topics: Object.keys(given.topics),
      topicConfigs: withoutEmpty(given.topics),
      ...(endpoint === undefined ? {} : { hydrationWebhook: { url: endpoint.url } }),
      ...given.app,
    });
    const scopes = await makeAll(given.scopes, (slug) =>
      rest.make('/scopes', { slug: `${slug}-${randomUUID().slice(0, 8)}`, name: slug }),
    );
    const rooms = await makeAll(given.rooms, (slug) =>
      rest.make(`/apps/${String(app['appId'])}/rooms`, { name: slug, slug }),
    );
    const actors = await makeAll(Object.keys(given.actors), (name) => {
      const { actorType, scope } = given.actors[name] as Given['actors'][string];
      const accessScopeId = scope === undefined ? undefined : scopes.get(scope)?.['accessScopeId'];
      return rest.make('/actors', { name, actorType, accessScopeId });
    });
    for (const { room, actor, fields } of given.grants) {
      const holder = actor === undefined ? {} : { actorTokenId: actors.get(actor)?.['actorTokenId'] };
      await rest.make(pathOfGrants(app, rooms.get(room)), { ...holder, ...fields });
    }
    const names = {
      ...{ app: app['slug'], appId: app['appId'] },
      ...{ rooms: asNames(rooms, 'roomId'), scopes: asNames(scopes, 'accessScopeId') },
      ...Object.fromEntries(
        [...actors].map(([name, { actorTokenId, keyId }]) => [name, { id: actorTokenId, keyId }]),
      ),
    };
    return new World(rest, names, actors, endpoint);
  }

  accessToken(actor: string): string {
    return String(this.actorOf(actor)['accessToken']);
  }

  /** Signed with a key that the world has for all of them. */
  async clientToken(actor: string, options: TokenOptions): Promise<string> {
    const key = await this.signingKey(false);
    return clientToken(key, String(this.actorOf(actor)['keyId']), Date.now(), options);
  }

  /** Of somebody whom the customer's backend alone knows. */
  async externalToken(subject: string, options: TokenOptions): Promise<string> {
    return clientToken(await this.signingKey(true), subject, Date.now(), options);
  }

  async close(): Promise<void> {
    await this.endpoint?.close();
  }

  private signingKey(allowExternalActors: boolean): Promise<string> {
    const made =
      this.signingKeys.get(allowExternalActors) ??
      this.rest
        .make('/signing-keys', { name: 'conformance', ...(allowExternalActors && { allowExternalActors }) })
        .then((record) => String(record['signingKey']));
    this.signingKeys.set(allowExternalActors, made);
    return made;
  }

  private actorOf(name: string): Fields {
    const actor = this.actors.get(name);
    if (actor === undefined) throw new Error(`The scenario is given no actor ${name}`);
    return actor;
  }
}

/** Makes one record for each name, in their order. */
const makeAll = async (
  names: readonly string[],
  make: (name: string) => Promise<Fields>,
): Promise<ReadonlyMap<string, Fields>> => {
  const made = new Map<string, Fields>();
  for (const name of names) made.set(name, await make(name));
  return made;
};

const asNames = (records: ReadonlyMap<string, Fields>, id: string): Fields =>
  Object.fromEntries([...records].map(([name, record]) => [name, record[id]]));

const pathOfGrants = (app: Fields, room: Fields | undefined): string =>
  `/apps/${String(app['appId'])}/rooms/${String(room?.['roomId'])}/actors`;

const withoutEmpty = (configs: Given['topics']): Fields =>
  Object.fromEntries(Object.entries(configs).filter(([, config]) => Object.keys(config).length > 0));
