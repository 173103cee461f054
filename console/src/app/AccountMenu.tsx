import { CircleUser } from 'lucide-react';
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from '../components/Button.js';
import { useSignedIn } from '../session/console.js';
import { signOut } from '../session/sessionStore.js';
import { useStore } from './store.js';
import { chooseTheme, theme, themes } from './theme.js';

const titles = { system: 'As the system', light: 'Light', dark: 'Dark' } as const;

/** Who is signed in, how the page looks, and the way out. */
export const AccountMenu = () => {
  const { shown } = useSignedIn();
  const chosen = useStore(theme);
  return (
    <MenuTrigger>
      <Button look="quiet" className="account-button" aria-label="Account and appearance">
        <CircleUser aria-hidden size={18} strokeWidth={1.75} />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu aria-label="Account and appearance">
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[chosen]}
            onSelectionChange={(keys) => {
              const next = themes.find((one) => keys !== 'all' && keys.has(one));
              if (next) chooseTheme(next);
            }}
          >
            <Header>Appearance</Header>
            {themes.map((one) => (
              <MenuItem key={one} id={one}>
                {titles[one]}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuSection>
            <Header>{shown.principal}</Header>
            <MenuItem id="sign-out" onAction={signOut}>
              Sign out
            </MenuItem>
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
};
