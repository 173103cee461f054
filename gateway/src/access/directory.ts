import type { App } from '@roomwire/shared/domain/apps/app';
import type { Room } from '@roomwire/shared/domain/rooms/room';
import type { ViewStore } from '@roomwire/shared/ports/viewStore';
import { EntryCache, type Entry } from './entryCache.js';

/** An app and one of its rooms, as an address names them. */
export interface Place {
  readonly app: Entry<App>;
  readonly room: Entry<Room>;
}

const maxApps = 10_000;
const maxRooms = 100_000;

/** What authorization needs of the read models, kept until a domain event says that it has changed. */
export class Directory {
  private readonly views: ViewStore;
  private readonly apps = new EntryCache<App>({ idOf: (app) => app.appId, maxEntries: maxApps });
  private readonly rooms = new EntryCache<Room>({ idOf: (room) => room.roomId, maxEntries: maxRooms });

  constructor(views: ViewStore) {
    this.views = views;
  }

  /** At once where both are known, undefined where one does not exist. Rejects when the read models fail. */
  place(projectId: string, appSlug: string, roomSlug: string): Place | Promise<Place | undefined> {
    const app = this.apps.peek(`${projectId}/${appSlug}`);
    const room = app && this.rooms.peek(`${app.value.appId}/${roomSlug}`);
    return app && room ? { app, room } : this.readPlace(projectId, appSlug, roomSlug);
  }

  appChanged(appId: string): void {
    this.apps.drop(appId);
  }

  roomChanged(roomId: string): void {
    this.rooms.drop(roomId);
  }

  /** Something in the project changed, and there is no telling what. */
  projectChanged(projectId: string): void {
    this.apps.dropWhere((app) => app.projectId === projectId);
    this.rooms.dropWhere((room) => room.projectId === projectId);
  }

  forgetAll(): void {
    this.apps.dropWhere(() => true);
    this.rooms.dropWhere(() => true);
  }

  private async readPlace(projectId: string, appSlug: string, roomSlug: string): Promise<Place | undefined> {
    const app = await this.app(projectId, appSlug);
    const room = app && (await this.room(app.value.appId, roomSlug));
    return app && room && { app, room };
  }

  private async app(projectId: string, slug: string): Promise<Entry<App> | undefined> {
    const key = `${projectId}/${slug}`;
    const read = () => this.views.find('apps', { filter: { projectId, slug }, limit: 1 });
    return this.apps.peek(key) ?? this.apps.load(key, async () => (await read())[0]);
  }

  private async room(appId: string, slug: string): Promise<Entry<Room> | undefined> {
    const key = `${appId}/${slug}`;
    const read = () => this.views.find('rooms', { filter: { appId, slug }, limit: 1 });
    return this.rooms.peek(key) ?? this.rooms.load(key, async () => (await read())[0]);
  }
}
