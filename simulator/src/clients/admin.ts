import type { HttpAnswer } from '../cluster/memoryHttp.js';
import { operatorToken } from '../cluster/services.js';
import { callApi } from './apiCalls.js';
import { RecordAdmin } from './recordAdmin.js';
import type { Actor, Estate, Room, World } from './world.js';
import { topicNames } from './world.js';

const actorCount = 5;
const roomNames = ['hall', 'vault', 'club'] as const;
/** From then on what was asked for has happened, or never will. */
const settledMs = 15_000;
const rushMs = 60;
const [longPauseMs, shortPauseMs] = [9_000, 3_000];

type Body = Readonly<Record<string, unknown>>;

/**
 * Makes the estate, and goes on to change who may do what in it. All of it by REST, one thing after the other, and by one API: a change that was
 * asked for there once more must not be undone by the first try at another one.
 */
export class Admin {
  private readonly world: World;
  apiKey = '';
  /** Of the room that admits only those with a grant. */
  private readonly grants = new Map<string, string>();
  private readonly record: RecordAdmin;
  private isClubOpen = true;

  constructor(world: World) {
    this.world = world;
    const { records } = world.cluster.options;
    this.record = new RecordAdmin(world, records, (...request) => this.untilKnown(...request));
  }

  /** Resolves when clients may come. */
  async prepare(): Promise<void> {
    const organization = await this.made('/organizations', { name: 'Acme' }, operatorToken);
    const projects = `/organizations/${String(organization['organizationId'])}/projects`;
    const project = await this.made(projects, { name: 'Chat' }, operatorToken);
    const keys = `${projects}/${String(project['projectId'])}/api-keys`;
    this.apiKey = String((await this.made(keys, { name: 'backend' }, operatorToken))['apiKey']);
    const app = await this.made('/apps', {
      name: 'Chat',
      topics: topicNames,
      topicConfigs: this.record.configs,
    });
    const appId = String(app['appId']);
    const rooms: Room[] = [];
    for (const name of roomNames) {
      const room = await this.made(`/apps/${appId}/rooms`, { name, slug: name });
      rooms.push({ roomId: String(room['roomId']), slug: name });
    }
    const estate: Estate = { appId, appSlug: String(app['slug']), rooms };
    for (let n = 0; n < actorCount; n += 1) await this.hire(n);
    await this.grantTo(estate, this.world.actors[0] as Actor);
    for (const actor of this.world.actors.slice(1))
      this.world.rights.set(actor.actorTokenId, 'vault', 'denied');
    this.world.estate = estate;
  }

  start(): void {
    void this.live();
  }

  /** Often one change right behind another of the same thing, and then none for so long that what was missed is not made good. */
  private async live(): Promise<void> {
    const { world } = this;
    const { chance } = world;
    while (world.isBusy) {
      await this.pause(chance.below(2) === 0 ? longPauseMs : chance.next() * shortPauseMs);
      const { estate } = world;
      const dice = chance.below(10);
      for (let left = 1 + chance.below(3); left > 0 && world.isBusy && estate !== undefined; left -= 1)
        if (dice < 4) await this.changeGrant(estate);
        else if (dice < 6) await this.turnClub(estate);
        else if (dice < 8) await this.record.change(estate);
        else await this.replaceActor();
    }
  }

  /** The first actor keeps its grant, so that the room stays private. */
  private async changeGrant(estate: Estate): Promise<void> {
    const { world } = this;
    const actor = world.actors[1 + world.chance.below(actorCount - 1)] as Actor;
    const grantId = this.grants.get(actor.actorTokenId);
    if (grantId === undefined) return this.grantTo(estate, actor);
    world.rights.set(actor.actorTokenId, 'vault', 'unknown');
    const path = `${this.grantsPath(estate)}/${grantId}`;
    const answer = await this.untilKnown('DELETE', path, undefined, [204, 404]);
    if (answer === undefined) return;
    this.grants.delete(actor.actorTokenId);
    world.rights.set(actor.actorTokenId, 'vault', 'denied');
    await this.readBack(this.grantsPath(estate), (body) => !JSON.stringify(body).includes(grantId), path);
  }

  private async grantTo(estate: Estate, { actorTokenId }: Actor): Promise<void> {
    const { rights } = this.world;
    rights.set(actorTokenId, 'vault', 'unknown');
    const path = this.grantsPath(estate);
    const answer = await this.untilKnown('POST', path, { permission: 'pubSub', actorTokenId }, [201, 409]);
    if (answer === undefined) return;
    const id = answer.status === 201 ? idIn(answer.body as Body) : await this.grantOf(path, actorTokenId);
    if (id === undefined) return;
    this.grants.set(actorTokenId, id);
    rights.set(actorTokenId, 'vault', 'allowed');
    await this.readBack(path, (body) => JSON.stringify(body).includes(id), `${path}/${id}`);
  }

  private async grantOf(path: string, actorTokenId: string): Promise<string | undefined> {
    const answer = await this.untilKnown('GET', path, undefined, [200]);
    const found = (answer?.body as readonly Body[] | undefined)?.find(
      (grant) => grant['actorTokenId'] === actorTokenId,
    );
    return found && idIn(found);
  }

  private async turnClub({ appId, rooms }: Estate): Promise<void> {
    const { actors, rights } = this.world;
    const club = rooms.find(({ slug }) => slug === 'club') as Room;
    const status = this.isClubOpen ? 'disabled' : 'active';
    for (const { actorTokenId } of actors) rights.set(actorTokenId, 'club', 'unknown');
    const path = `/apps/${appId}/rooms/${club.roomId}`;
    const answer = await this.untilKnown('PATCH', path, { status }, [200]);
    if (answer === undefined) return;
    this.isClubOpen = !this.isClubOpen;
    const right = this.isClubOpen ? 'allowed' : 'denied';
    for (const { actorTokenId } of actors) rights.set(actorTokenId, 'club', right);
    await this.readBack(path, (body) => (body as Body)['status'] === status, path);
  }

  private async replaceActor(): Promise<void> {
    const { actors, rights } = this.world;
    const place = 1 + this.world.chance.below(actorCount - 1);
    const leaving = actors[place] as Actor;
    // Some of its clients come back right then.
    this.world.rush(leaving);
    await this.pause(this.world.chance.next() * rushMs);
    leaving.isLeaving = true;
    for (const room of roomNames) rights.set(leaving.actorTokenId, room, 'unknown');
    const answer = await this.untilKnown('DELETE', `/actors/${leaving.actorTokenId}`, undefined, [204, 404]);
    if (answer !== undefined) for (const room of roomNames) rights.set(leaving.actorTokenId, room, 'denied');
    this.grants.delete(leaving.actorTokenId);
    await this.hire(place);
  }

  private async hire(place: number): Promise<void> {
    const { actors, rights } = this.world;
    const answer = await this.untilKnown(
      'POST',
      '/actors',
      { name: `actor ${place}`, actorType: 'agent' },
      [201],
    );
    if (answer === undefined) return;
    const { actorTokenId, accessToken } = answer.body as { actorTokenId: string; accessToken: string };
    actors[place] = { actorTokenId, token: accessToken, isLeaving: false };
    rights.set(actorTokenId, 'hall', 'allowed');
    rights.set(actorTokenId, 'vault', 'denied');
    rights.set(actorTokenId, 'club', this.isClubOpen ? 'allowed' : 'denied');
  }

  /** What one has been told to be done is seen by the next read. */
  private async readBack(path: string, isSeen: (body: unknown) => boolean, what: string): Promise<void> {
    const { history, time } = this.world;
    const asked = time.now;
    const answer = await this.request('GET', path, undefined, this.apiKey);
    if (answer?.status !== 200 || isSeen(answer.body)) return;
    // The answer is held back until the read models show the write, for two seconds.
    if (!history.isDisturbed(asked - settledMs, time.now))
      history.violated('read-your-writes', `${what} at ${asked.toFixed(0)}: ${JSON.stringify(answer.body)}`);
  }

  private async made(path: string, body: Body, token = this.apiKey): Promise<Body> {
    const answer = await this.request('POST', path, body, token);
    if (answer?.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}`);
    return answer.body as Body;
  }

  /** Asks again until there is an answer that says what is; undefined where there was none, and nobody knows. */
  private async untilKnown(
    method: string,
    path: string,
    body: Body | undefined,
    statuses: readonly number[],
  ): Promise<HttpAnswer | undefined> {
    for (let tries = 0; tries < 8; tries += 1) {
      const answer = await this.request(method, path, body, this.apiKey);
      if (answer && statuses.includes(answer.status)) return answer;
      if (answer && answer.status < 500)
        this.world.history.violated('requests', `${method} ${path}: ${JSON.stringify(answer)}`);
      await this.pause(settledMs);
    }
    return undefined;
  }

  /** Undefined where no answer came. */
  private request(
    method: string,
    path: string,
    body: Body | undefined,
    token: string,
  ): Promise<HttpAnswer | undefined> {
    return callApi(this.world, this.world.cluster.api, { method, path, token, body });
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.world.time.after(undefined, ms, resolve));
  }

  private grantsPath({ appId, rooms }: Estate): string {
    const vault = rooms.find(({ slug }) => slug === 'vault') as Room;
    return `/apps/${appId}/rooms/${vault.roomId}/actors`;
  }
}

const idIn = (grant: Body): string => String(grant['roomActorAccessId']);
