"""How the screen is laid out, in textual's own language; colours are the theme's."""

from typing import Final

STYLE: Final = """
Screen { layers: base over; }

#status { height: 1; padding: 0 1; background: $panel; }

#middle { height: 1fr; }

#sessions { height: 1fr; border: none; padding: 0; background: $surface; scrollbar-size-vertical: 1; }
#sessions:focus { border: none; }
.narrow #sessions, .hidden #sessions { display: none; }

#tabs { width: 1fr; height: 1fr; }
TabPane { padding: 0; }
#stream, #surfaces { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; background: $background; }
#surfaces Static { width: 1fr; }

#protocol { height: 1fr; }
#protocol-state { height: 1; padding: 0 1; color: $foreground 60%; }
#filter { height: 1; border: none; padding: 0 1; }
#frames { height: 1fr; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 1; }
#detail { height: 40%; border-top: solid $panel; padding: 0 1; scrollbar-size-vertical: 1; }
#detail:focus { border-top: solid $accent; }

#card { height: auto; border-top: solid $warning; background: $surface; display: none; }
#card-scroll { height: auto; max-height: 8; padding: 0 1; scrollbar-size-vertical: 1; background: $surface; }
#card-scroll:focus { background: $boost; }
#card-hint { height: auto; padding: 0 1; }
.protocol #card-scroll { max-height: 2; }

#line { height: 1; border: none; padding: 0 1; background: $panel; }
#line:focus { border: none; }

Help { align: center middle; }
#help { width: 100%; max-width: 110; height: auto; max-height: 90%; padding: 1 2; border: round $accent; background: $surface; }
"""
