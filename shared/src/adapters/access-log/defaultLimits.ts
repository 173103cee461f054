import type { AccessLogLimits } from '../../ports/accessLog.js';
import { limitTable } from '../../wire/limits/limitTable.js';

const dayMs = 86_400_000;

export const defaultAccessLogLimits: AccessLogLimits = {
  retentionMs: limitTable.accessLogRetention.value * dayMs,
  entriesPerOrganization: limitTable.accessLogEntries.value,
};
