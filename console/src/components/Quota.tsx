import { Label, Meter } from 'react-aria-components';

interface QuotaProps {
  readonly label: string;
  readonly used: number;
  /** Null for no limit. */
  readonly limit: number | null;
}

const number = (value: number): string => value.toLocaleString('en');

/** How much of a limit is used. */
export const Quota = ({ label, used, limit }: QuotaProps) => {
  if (limit === null)
    return (
      <div className="quota">
        <span>{label}</span>
        <span>
          {number(used)} <span className="muted">without a limit</span>
        </span>
      </div>
    );
  const share = limit === 0 ? 1 : used / limit;
  const level = share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine';
  return (
    <Meter
      className="quota"
      value={Math.min(used, limit)}
      maxValue={Math.max(limit, 1)}
      valueLabel={`${number(used)} of ${number(limit)}`}
    >
      {({ percentage, valueText }) => (
        <>
          <Label>{label}</Label>
          <span>{valueText}</span>
          <div className="quota-bar">
            <div className={`quota-used ${level}`} style={{ width: `${limit === 0 ? 100 : percentage}%` }} />
          </div>
        </>
      )}
    </Meter>
  );
};
