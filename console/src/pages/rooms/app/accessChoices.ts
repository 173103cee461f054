/** What a room of the app is to an actor without a grant. */
export const accessChoices = [
  {
    id: 'open',
    title: 'Open until somebody has a grant',
    description: 'Every actor of the project may use a room that has no grants.',
  },
  { id: 'private', title: 'Private', description: 'Only actors with a grant may use a room.' },
] as const;
