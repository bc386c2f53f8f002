// What `later.tsx` asks for when it is needed.

import "./settings/settings.css";

export { SessionDetails } from "./details/SessionDetails.tsx";
export { SettingsPage } from "./SettingsPage.tsx";
