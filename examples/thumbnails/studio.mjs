import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const names = { app: 'thumbnails', room: 'studio', topic: 'pictures', group: 'makers' };

/** How the group hands out its jobs: what is not done in five seconds, or fails, goes to another worker, three times at most. */
export const jobs = { prefetch: 4, ackSeconds: 5, maxDeliveries: 3 };

/** What needs credentials beyond an actor's: the app with its room, the actors of the workers, the group, and the dead letters. */
export class Studio {
  #api;
  #credentials;
  #made;

  /** `dataDir` is the data folder of the service. */
  static async open(apiUrl, dataDir) {
    const studio = new Studio();
    studio.#api = apiUrl;
    studio.#credentials = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    await studio.#make();
    return studio;
  }

  /** What a worker, or whoever has pictures, needs to connect. */
  async sessionOf(name) {
    const { accessToken } = await this.#ask('POST', 'actors', { name, actorType: 'agent' });
    const { slug } = this.#made;
    return {
      url: `${this.#api.replace(/^http/, 'ws')}/ws`,
      token: accessToken,
      topic: `${slug}/${names.room}/${names.topic}`,
      group: names.group,
    };
  }

  /** What the group has to do: jobs that wait, and those that workers have. */
  async depth() {
    const { appId, roomId, groupId } = this.#made;
    return (await this.#ask('GET', `apps/${appId}/rooms/${roomId}/groups/${groupId}`)).depth;
  }

  /** Jobs that nobody could do, with their pictures. */
  async deadLetters() {
    const { organizationId, sessionToken } = this.#credentials;
    const path = `organizations/${organizationId}/webhook-dlq?kind=job`;
    return (await this.#ask('GET', path, undefined, sessionToken)).data;
  }

  async #make() {
    const { appId, slug } = await this.#ask('POST', 'apps', { name: names.app, topics: [names.topic] });
    const { roomId } = await this.#ask('POST', `apps/${appId}/rooms`, { name: names.room });
    // From now on it collects what is published, although nobody works yet.
    const group = { topic: names.topic, name: names.group, jobs };
    const { groupId } = await this.#ask('POST', `apps/${appId}/rooms/${roomId}/groups`, group);
    this.#made = { appId, slug, roomId, groupId };
  }

  async #ask(method, path, body, credential = this.#credentials.apiKey) {
    const answer = await fetch(`${this.#api}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
