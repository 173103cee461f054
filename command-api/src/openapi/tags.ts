/** The sections of the API's description, in their order. */
export const tags = {
  Apps: 'A project owns apps; an app owns rooms and says which topics there are in them.',
  Rooms: 'Where messages are exchanged: `app-slug/room-slug/topic-name`.',
  'Room grants':
    'Who may do what in a room. A room without grants is open; the first grant makes it private.',
  Actors: 'Clients of the socket protocol: devices, users, services, agents.',
  Scopes: 'An access scope isolates a tenant inside a project.',
  'Signing keys': 'Let your backend mint short-lived client tokens.',
  Organizations: 'Who owns projects, and their plan.',
  Projects: 'What owns apps, actors, scopes and signing keys.',
  'API keys': 'Credentials of your backend.',
  Blueprints: 'Registered, versioned definitions that apps are made from.',
  'Webhook secrets': 'What the webhook calls of a project are signed with; two are valid during a rotation.',
  Audit: 'What was done, by whom and when; any record as it was.',
  'Webhook outcomes': 'What the attempts of webhook calls come to, as they happen.',
  'Webhook dead letters': 'Webhook calls that failed after every attempt.',
} as const;

export type Tag = keyof typeof tags;
