import { useProject } from '../../../session/console.js';
import type { Room, RoomChanges } from '../model.js';
import { roomRecord } from '../records.js';
import { useRecordChange, type RecordChange } from '../useRecordChange.js';

/** Changes a room that is shown. */
export const useRoomChange = (
  shown: Room,
  onStale?: (now: Room) => void,
): RecordChange<Room, RoomChanges> => {
  const { api } = useProject();
  return useRecordChange({ record: roomRecord(api, shown), shown, onStale });
};
