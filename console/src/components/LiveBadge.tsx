interface LiveBadgeProps {
  readonly state: 'live' | 'waiting' | 'paused' | 'lost';
  /** Instead of the usual words: `sampled, 1 of 20`. */
  readonly text?: string;
}

const words = { live: 'Live', waiting: 'Connecting…', paused: 'Paused', lost: 'Not connected' } as const;

/** Whether what is shown follows what happens. */
export const LiveBadge = ({ state, text = words[state] }: LiveBadgeProps) => (
  <span className={`live-badge ${state}`} role="status">
    <span className="live-dot" aria-hidden />
    {text}
  </span>
);
