interface Entry {
  readonly projectId: string;
  readonly actorTokenId: string;
  readonly size: number;
}

/** The sizes of all sessions, by project and by actor, those that were written least recently first. */
export class StoredSizes<Key> {
  private readonly entries = new Map<string, Entry & { readonly key: Key }>();
  private readonly projects = new Map<string, { bytes: number; readonly names: Set<string> }>();
  private readonly actors = new Map<string, Set<string>>();

  put(key: Key, entry: Entry): void {
    this.remove(key);
    const name = JSON.stringify(key);
    this.entries.set(name, { ...entry, key });
    const project = this.projects.get(entry.projectId) ?? { bytes: 0, names: new Set() };
    this.projects.set(entry.projectId, project);
    project.bytes += entry.size;
    project.names.add(name);
    const actor = this.actors.get(entry.actorTokenId) ?? new Set();
    this.actors.set(entry.actorTokenId, actor.add(name));
  }

  remove(key: Key): void {
    const name = JSON.stringify(key);
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    this.entries.delete(name);
    const project = this.projects.get(entry.projectId);
    const actor = this.actors.get(entry.actorTokenId);
    if (project) project.bytes -= entry.size;
    project?.names.delete(name);
    actor?.delete(name);
    if (project?.names.size === 0) this.projects.delete(entry.projectId);
    if (actor?.size === 0) this.actors.delete(entry.actorTokenId);
  }

  sessionsOf(actorTokenId: string): number {
    return this.actors.get(actorTokenId)?.size ?? 0;
  }

  bytesOf(projectId: string): number {
    return this.projects.get(projectId)?.bytes ?? 0;
  }

  oldestOf(of: { readonly actorTokenId: string } | { readonly projectId: string }): Key | undefined {
    const names =
      'projectId' in of ? this.projects.get(of.projectId)?.names : this.actors.get(of.actorTokenId);
    const [oldest] = names ?? [];
    return oldest === undefined ? undefined : this.entries.get(oldest)?.key;
  }
}
