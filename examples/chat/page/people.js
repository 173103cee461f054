const storeName = 'roomwire-chat-people';

/** Who is here, and the names of those who once were: a message says its sender's id alone, which nobody can forge. */
export class People {
  /** Called with an actor when its name becomes known. */
  onName = () => undefined;
  #list;
  #names = new Map(JSON.parse(localStorage.getItem(storeName) ?? '[]'));
  #present = new Set();

  constructor(list) {
    this.#list = list;
  }

  nameOf(actor) {
    return this.#names.get(actor) ?? 'somebody';
  }

  /** Follows the presence of a room. The function that it returns asks who is there: the own person is in no event. */
  follow(client, room) {
    client.on('presence', ({ event, actorTokenId, presence }) => {
      if (event === 'leave') this.#present.delete(actorTokenId);
      else this.#add(actorTokenId, presence);
      this.#render();
    });
    return async () => {
      const entries = await client.presence(room);
      this.#present.clear();
      for (const { actorTokenId, presence } of entries) this.#add(actorTokenId, presence);
      this.#render();
    };
  }

  #add(actor, { name }) {
    this.#present.add(actor);
    if (typeof name !== 'string' || this.#names.get(actor) === name) return;
    this.#names.set(actor, name);
    localStorage.setItem(storeName, JSON.stringify([...this.#names]));
    this.onName(actor);
  }

  #render() {
    const entries = [...this.#present].map((actor) => {
      const entry = document.createElement('li');
      entry.textContent = this.nameOf(actor);
      return entry;
    });
    this.#list.replaceChildren(...entries);
  }
}
