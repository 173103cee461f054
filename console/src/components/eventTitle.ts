/** The type of an event as words: `RoomGrantAdded` is `Room grant added`. */
export const eventTitle = (type: string): string => {
  const words = type.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/\bapi\b/i, 'API');
};
