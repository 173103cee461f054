import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignJWT } from 'jose';

const roomName = 'lobby';
const topicName = 'lines';
/** A page asks for another one when it has expired, and misses nothing over that. */
const tokenSeconds = 600;

/**
 * What a backend of a chat does: it has the API key, makes the app, the room and an actor for each person, and signs the tokens with which
 * pages connect. What it has made is kept in a file, so that it finds it again.
 */
export class ChatBackend {
  #api;
  #file;
  #made;
  #joining = Promise.resolve();

  /** `dataDir` is the data folder of the service. */
  static async open(apiUrl, dataDir) {
    const { apiKey } = JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8'));
    const backend = new ChatBackend();
    backend.#api = { url: apiUrl, apiKey };
    backend.#file = join(dataDir, 'chat-example.json');
    backend.#made = await backend.#kept();
    if (backend.#made === undefined) await backend.#make();
    return backend;
  }

  /** What a page needs to be a person of this name. Of a real chat, the person would have to prove it. */
  async sessionOf(name) {
    const { slug, signingKey } = this.#made;
    const [keyId, secret] = signingKey.split('.');
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'HS256', kid: keyId })
      .setSubject(await this.#actorOf(name))
      .setExpirationTime(`${tokenSeconds} s`)
      .sign(new TextEncoder().encode(secret));
    const url = `${this.#api.url.replace(/^http/, 'ws')}/ws`;
    return { url, token, room: `${slug}/${roomName}`, topic: `${slug}/${roomName}/${topicName}` };
  }

  async #kept() {
    try {
      return JSON.parse(await readFile(this.#file, 'utf8'));
    } catch (error) {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #make() {
    const { appId, slug } = await this.#post('apps', {
      name: 'chat',
      topics: [topicName],
      topicConfigs: { [topicName]: { history: { seconds: 7 * 86_400, messages: 10_000 } } },
    });
    await this.#post(`apps/${appId}/rooms`, { name: roomName });
    const { signingKey } = await this.#post('signing-keys', { name: 'chat example' });
    this.#made = { appId, slug, signingKey, actors: {} };
    await this.#keep();
  }

  /** The actor of a person, made when the person comes for the first time; one after the other, so that none is made twice. */
  #actorOf(name) {
    const joined = this.#joining.then(async () => {
      this.#made.actors[name] ??= (await this.#post('actors', { name, actorType: 'user' })).keyId;
      await this.#keep();
      return this.#made.actors[name];
    });
    this.#joining = joined.catch(() => undefined);
    return joined;
  }

  #keep() {
    return writeFile(this.#file, JSON.stringify(this.#made), { mode: 0o600 });
  }

  async #post(path, body) {
    const answer = await fetch(`${this.#api.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#api.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }
}
