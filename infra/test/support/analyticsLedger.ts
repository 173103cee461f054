/** What a test has published, as the analytics must report it. */
export class AnalyticsLedger {
  private readonly rowsByKey = new Map<
    string,
    { messages: number; bytes: number; readonly actors: Set<number> }
  >();

  add(room: string, topic: string, actor: number, bytes: number): void {
    const key = `${room} ${topic}`;
    const row = this.rowsByKey.get(key) ?? { messages: 0, bytes: 0, actors: new Set() };
    row.messages += 1;
    row.bytes += bytes;
    row.actors.add(actor);
    this.rowsByKey.set(key, row);
  }

  get rows() {
    return [...this.rowsByKey].map(([key, { messages, bytes, actors }]) => {
      const [room, topic] = key.split(' ');
      return { room, topic, messages, bytes, actors: actors.size };
    });
  }

  get messages(): number {
    return this.rows.reduce((sum, { messages }) => sum + messages, 0);
  }

  get bytes(): number {
    return this.rows.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  messagesOf(wanted: string): number {
    return this.rows.reduce((sum, { topic, messages }) => sum + (topic === wanted ? messages : 0), 0);
  }
}
