"""The items that can be reproduced, each in one line, as listed by the command."""

from __future__ import annotations

ITEMS = {
    "table1": "Table 1: runtime and balance on m-SBM over n",
    "table2": "Table 2: runtimes on the four real data sets, k=25",
    "table3": "Table 3: cost, balance and speed-up on the real data sets, k=25",
    "table4": "Table 4: against FFSC and UFSC on the real data sets, k=25",
    "table5": "Table 5: sensitivity of the ADMM to α, RandLaplace n=1000, k=25",
    "randlaplace": "RandLaplace: runtimes over n and k",
    "min-balance": "Minimum balance on the real data sets, k=25",
    "facebook": "FacebookNet: time, balance and cost, k=2, 25, 50",
    "elliptical": "Figure Elliptical: fair clustering in the plane, k=2, h=2",
    "ds577": "Figure DS-577: fair clustering in the plane, k=3, h=3",
    "curves": "Figures: runtime and balance over k on the real data sets",
    "scalability": "Figure: scalability on RandLaplace, as bars",
}
ALL = "all"
